#include "berth/learn/torch/hsdag/learner.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "berth/learn/torch/hsdag/imitation.h"
#include "berth/learn/torch/learners.h"
#include "berth/learn/torch/policy_gradient.h"
#include "berth/learn/torch/state.h"

namespace berth {
namespace {

constexpr double kReplayWeight = 0.1;
constexpr double kLargestNorm = 1.0;  // of a gradient of advantages

torch::Tensor float_tensor(const std::vector<double>& values) {
  return torch::tensor(std::vector<float>(values.begin(), values.end()));
}

}  // namespace

struct HsdagLearner::Weighted {
  torch::Tensor device_taken, device_old, device_weight;  // by decision
  torch::Tensor choice_taken, choice_old, choice_weight;  // by flat node (sampled groups)
  torch::Tensor group_share;                              // by group: its share of the decisions

  Weighted(const Drawn& drawn, const Weights& weights) {
    const Rollouts& rollouts = drawn.rollouts;
    const std::int64_t devices = drawn.pass.devices.size(1);
    std::vector<std::int64_t> place;
    std::vector<double> share(rollouts.groups(), 0.0);
    for (std::size_t i = 0; i < rollouts.decisions(); ++i) {
      place.push_back(rollouts.group_of_decision[i] * devices + rollouts.device[i]);
      share[static_cast<std::size_t>(rollouts.group_of_decision[i])] +=
          1.0 / static_cast<double>(rollouts.decisions());
    }
    device_taken = index_tensor(place);
    device_old = drawn.pass.devices.detach().reshape({-1}).index_select(0, device_taken);
    device_weight = float_tensor(weights.of_decision);
    group_share = float_tensor(share);
    const torch::Tensor& choice = drawn.pass.encoding.choice;
    if (!choice.defined()) return;
    const std::int64_t nodes = static_cast<std::int64_t>(rollouts.choice.size() / rollouts.count());
    choice_taken = index_tensor(rollouts.choice);
    if (drawn.x.dim() == 3) {  // each step has a list of its own
      const std::int64_t steps = drawn.x.size(0);
      choice_taken = choice_taken + torch::arange(steps, torch::kLong).repeat_interleave(nodes) *
                                        (choice.numel() / steps);
    }
    choice_old = choice.detach().index_select(0, choice_taken);
    choice_weight = float_tensor(weights.of_node);
  }
};

HsdagLearner::HsdagLearner(const HsdagOptions& options, const Task& task, std::uint64_t seed)
    : options_(options),
      policy_(options, task, seed),
      optimizer_(policy_.network().parameters(), options.rate,
                 options.advantage ? std::optional(kLargestNorm) : std::nullopt) {}

HsdagLearner::Pass HsdagLearner::pass(const torch::Tensor& x, const HsdagPolicy::GroupIndex& groups,
                                      double temperature) {
  Pass result{.encoding = policy_.encode(x, temperature), .devices = {}};
  result.devices = policy_.devices(result.encoding, groups).log;
  return result;
}

HsdagLearner::Drawn HsdagLearner::draw_rollouts(std::size_t rollouts, double temperature,
                                                Rng& rng) {
  const torch::AutoGradMode gradients(policy_.repeats_itself());
  const torch::Tensor& x = policy_.features();
  HsdagPolicy::Encoding encoding = policy_.encode(x, temperature);
  Drawn drawn{.x = x,
              .rollouts = policy_.draw_groups(encoding, rollouts, false, rng),
              .groups = {},
              .pass = {}};
  drawn.groups = policy_.index(drawn.rollouts);
  const torch::Tensor log = policy_.devices(encoding, drawn.groups).log;
  policy_.draw_devices(log, false, drawn.rollouts, rng);
  drawn.pass = {.encoding = std::move(encoding), .devices = log};
  return drawn;
}

HsdagLearner::Drawn HsdagLearner::draw_parts(const Task& task, std::size_t parts,
                                             double temperature, Rng& rng) {
  const torch::AutoGradMode gradients(policy_.repeats_itself());
  const torch::Tensor& x = policy_.features();
  const SetDevices& base = walk_.at().devices;
  HsdagPolicy::Encoding encoding = policy_.encode(x, temperature);
  const std::vector<SetGroup> regions = walk_regions(task.graph, parts, rng);
  Drawn drawn{.x = x,
              .rollouts = policy_.draw_parts(encoding, base, regions, rng),
              .groups = {},
              .pass = {},
              .base = base};
  drawn.groups = policy_.index(drawn.rollouts, &base);
  const torch::Tensor log = policy_.devices(encoding, drawn.groups).log;
  policy_.draw_devices(log, false, drawn.rollouts, rng);
  policy_.draw_changes(log, base, drawn.rollouts, rng);
  drawn.pass = {.encoding = std::move(encoding), .devices = log};
  return drawn;
}

// State renewal: each step sees the features that the one before has left.
HsdagLearner::Drawn HsdagLearner::draw_steps(std::size_t steps, double temperature, Rng& rng) {
  const torch::NoGradGuard off;
  Drawn drawn{.x = {}, .rollouts = policy_.empty_rollouts(), .groups = {}, .pass = {}};
  std::vector<torch::Tensor> states, choices, devices;
  torch::Tensor state = policy_.features();
  for (std::size_t i = 0; i < steps; ++i) {
    const HsdagPolicy::Encoding encoding = policy_.encode(state, temperature);
    Rollouts one = policy_.draw_groups(encoding, 1, false, rng);
    const HsdagPolicy::DeviceLogs logs = policy_.devices(encoding, policy_.index(one));
    policy_.draw_devices(logs.log, false, one, rng);
    states.push_back(state);
    devices.push_back(logs.log);
    if (encoding.choice.defined()) choices.push_back(encoding.choice);
    const std::vector<std::int64_t> group(one.decision_of_node().begin(),
                                          one.decision_of_node().end());
    state = state + logs.renewed.index_select(0, index_tensor(group));
    drawn.rollouts.append(one);
  }
  drawn.x = torch::stack(states);
  drawn.groups = policy_.index(drawn.rollouts);
  drawn.pass.devices = torch::cat(devices);
  if (!choices.empty()) drawn.pass.encoding.choice = torch::cat(choices);
  return drawn;
}

torch::Tensor HsdagLearner::loss_of(const Pass& now, const Weighted& weighted, double beta,
                                    double* entropy) const {
  const torch::Tensor device_logs = now.devices.reshape({-1});
  const torch::Tensor& choice_logs = now.encoding.choice;
  const torch::Tensor device_entropy =
      -((now.devices.exp() * now.devices.clamp_min(-1e4)).sum(1) * weighted.group_share).sum();
  *entropy = device_entropy.item<double>();
  if (!options_.advantage) {
    torch::Tensor sum = weighted_sum(device_logs, weighted.device_taken, weighted.device_weight);
    if (choice_logs.defined())
      sum = sum + weighted_sum(choice_logs, weighted.choice_taken, weighted.choice_weight);
    return -sum;
  }
  torch::Tensor gain = clipped_gain(device_logs, weighted.device_taken, weighted.device_old,
                                    weighted.device_weight, options_.clip) +
                       beta * device_entropy;
  if (choice_logs.defined()) {
    const double choosers = static_cast<double>(choice_logs.numel()) *
                            static_cast<double>(policy_.graph().size()) /
                            static_cast<double>(policy_.choice_edge().size());
    const torch::Tensor choice_entropy = -(choice_logs.exp() * choice_logs).sum() / choosers;
    gain = gain +
           clipped_gain(choice_logs, weighted.choice_taken, weighted.choice_old,
                        weighted.choice_weight, options_.clip) +
           beta * choice_entropy;
    *entropy = 0.5 * (*entropy + choice_entropy.item<double>());
  }
  return -gain;
}

void HsdagLearner::prepare(Task& task, Budget& budget, const Rng& rng) {
  if (task.elite.empty() || options_.improves()) return;
  policy_.network().train();
  Rng stream = rng.split("imitation");
  std::uint64_t steps = static_cast<std::uint64_t>(options_.imitation);
  if (const auto left = budget.evaluations_left())  // a short search is not to be all imitation
    steps = std::min(steps, *left / 4);
  for (std::uint64_t i = 0; i < steps && !budget.spent(); ++i)
    optimizer_.step(imitation_loss(policy_, policy_.encode(policy_.features(), 1.0),
                                   task.elite.best().devices, stream));
}

double HsdagLearner::temperature(double progress) const {
  return options_.grouping == HsdagGrouping::kSampled ? 1.0 - 0.7 * progress : 1.0;
}

// What the policy answers without chance.
std::vector<SetDevices> HsdagLearner::greedy(const HsdagPolicy::Encoding& encoding) {
  const torch::NoGradGuard off;
  Rng unused;
  Rollouts answer = policy_.draw_groups(encoding, 1, true, unused);
  policy_.draw_devices(policy_.devices(encoding, policy_.index(answer)).log, true, answer, unused);
  return std::move(answer.placements);
}

Samples HsdagLearner::propose(const Task& task, std::size_t count, double progress,
                              const Rng& rng) {
  torch::manual_seed(rng.split("torch")());
  policy_.network().train();
  Rng stream = rng.split("rollouts"), looks = rng.split("walk");
  if (options_.improves()) walk_.look_at(task.elite, looks);
  if (options_.improves() && walk_.has_begun()) {
    drawn_ = draw_parts(task, count, temperature(progress), stream);
    return {.placements = drawn_->rollouts.placements,
            .answers = {},
            .groups = drawn_->rollouts.members};
  }
  drawn_ = options_.renewal ? draw_steps(count, temperature(progress), stream)
                            : draw_rollouts(count, temperature(progress), stream);
  Samples samples{
      .placements = drawn_->rollouts.placements, .answers = {}, .groups = drawn_->rollouts.members};
  if (policy_.repeats_itself()) samples.answers = greedy(drawn_->pass.encoding);
  return samples;
}

// Without a placement that is improved, a rollout's weight is that of all its decisions.
HsdagLearner::Weights HsdagLearner::weights_of(const Drawn& drawn,
                                               std::span<const double> rewards) const {
  const Rollouts& rollouts = drawn.rollouts;
  const std::size_t nodes = policy_.graph().size();
  Weights weights;
  std::vector<double> weight;
  if (drawn.base)
    weight = ranks(rewards);
  else
    weight = options_.advantage ? advantages(rewards) : discounted(rewards, options_.gamma);
  for (const std::int64_t rollout : rollouts.rollout_of)
    weights.of_decision.push_back(weight[static_cast<std::size_t>(rollout)]);
  for (const double w : weight) weights.of_node.insert(weights.of_node.end(), nodes, w);
  if (!drawn.base) return weights;
  for (std::size_t i = 0; i < rollouts.decisions(); ++i) {
    const SetGroup& group =
        rollouts.members[static_cast<std::size_t>(rollouts.group_of_decision[i])];
    const auto is_kept = [&](std::uint32_t set) {
      return static_cast<std::int64_t>((*drawn.base)[set]) == rollouts.device[i];
    };
    if (std::all_of(group.begin(), group.end(), is_kept)) weights.of_decision[i] = 0;
  }
  for (std::size_t i = 0; i < weights.of_node.size(); ++i)
    if (rollouts.placements[i / nodes][i % nodes] == (*drawn.base)[i % nodes])
      weights.of_node[i] = 0;
  return weights;
}

// A placement of the elite; where one is improved, only a better one.
const SetDevices* HsdagLearner::replayed(const Task& task, Rng& rng) const {
  const std::vector<Scored>& elite = task.elite.members();
  if (options_.elite <= 0 || elite.empty()) return nullptr;
  const Scored& member =
      elite[rng.below(std::min(elite.size(), static_cast<std::size_t>(options_.elite)))];
  if (drawn_->base && !(member.score < walk_.at().score)) return nullptr;
  return &member.devices;
}

Metrics HsdagLearner::learn(const Task& task, std::span<const Scored> samples, double progress,
                            const Rng& rng) {
  const Drawn& drawn = *drawn_;
  std::vector<double> reward;
  for (const Scored& sample : samples)
    reward.push_back(options_.advantage ? log_reward(sample.score, task.reference)
                                        : inverse_reward(sample.score));
  const Weighted weighted(drawn, weights_of(drawn, reward));
  const double beta = options_.entropy * std::pow(0.1, progress);
  Rng replay = rng.split("replay"), steps = rng.split("step");
  const SetDevices* known = replayed(task, replay);

  double entropy = 0;
  losses_.clear();
  for (int epoch = 0; epoch < options_.epochs; ++epoch) {
    const Pass now = epoch == 0 && policy_.repeats_itself()
                         ? drawn.pass
                         : pass(drawn.x, drawn.groups, temperature(progress));
    torch::Tensor loss = loss_of(now, weighted, beta, &entropy);
    if (known != nullptr && epoch == 0) {
      const HsdagPolicy::Encoding encoding =
          options_.renewal ? policy_.encode(policy_.features(), temperature(progress))
                           : now.encoding;
      const torch::Tensor imitation =
          imitation_loss(policy_, encoding, *known, replay, drawn.base ? &*drawn.base : nullptr);
      if (imitation.defined()) loss = loss + kReplayWeight * imitation;
    }
    losses_.push_back(loss.item<double>());
    optimizer_.step(loss);
  }
  if (options_.improves()) {
    combined_ = drawn.base ? combined(walk_.at(), samples) : std::vector<SetDevices>{};
    walk_.step(samples, progress, steps);
  }
  const double count = static_cast<double>(reward.size());
  return {{"reward", std::accumulate(reward.begin(), reward.end(), 0.0) / count},
          {"entropy", entropy},
          {"groups", static_cast<double>(drawn.rollouts.decisions()) / count}};
}

// Where every pass differs, the one without chance is another than those that were drawn from.
std::vector<SetDevices> HsdagLearner::answers(const Task&, double progress) {
  if (options_.improves()) return std::exchange(combined_, {});
  if (policy_.repeats_itself()) return {};
  const torch::NoGradGuard off;
  policy_.network().eval();
  return greedy(policy_.encode(policy_.features(), temperature(progress)));
}

void HsdagLearner::save(Archive& archive) const {
  archive.parts["network"] = to_archive(policy_.network().parameters());
  optimizer_.save(archive.parts["optimizer"]);
  if (walk_.has_begun()) walk_.save(archive.parts["walk"]);
}

void HsdagLearner::load(const Archive& archive) {
  restore(archive.parts.at("network"), policy_.network().parameters());
  optimizer_.load(archive.parts.at("optimizer"));
  if (archive.parts.contains("walk")) walk_.load(archive.parts.at("walk"));
}

std::unique_ptr<Learner> make_hsdag(const HsdagOptions& options, const Task& task,
                                    std::uint64_t seed) {
  // The matrices are small: a second thread of LibTorch costs more in waiting than it brings.
  torch::set_num_threads(1);
  return std::make_unique<HsdagLearner>(options, task, seed);
}

}  // namespace berth
