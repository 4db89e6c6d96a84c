#include "berth/learn/post/learner.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include "berth/learn/heavy_edge_groups.h"
#include "berth/learn/post/measured_stage.h"

namespace berth {
namespace {

// Real runs are few and noisy: smaller pools, more of each pool, and shorter steps from where the
// simulator has led.
constexpr std::size_t kMeasuredRefit = 48;
constexpr double kMeasuredShare = 0.2, kMeasuredRate = 0.1, kMeasuredDivergence = 0.1;
constexpr double kPassShare = 0.1;   // of all samples, for one pass of moves at most
constexpr double kSmallest = 1e-12;  // of values, relative to the reference: logarithms are taken

Groups groups_for(const Task& task, const PostOptions& options) {
  const std::size_t most = options.grouping == PostGrouping::kAll
                               ? task.graph.size()
                               : static_cast<std::size_t>(options.groups);
  return heavy_edge_groups(task.problem, task.graph, most);
}

JointLoopOptions loop_options(const PostOptions& options, std::size_t groups, std::size_t devices) {
  JointLoopOptions result;
  const double fewest = options.elite_per_device * static_cast<double>(devices) / options.share;
  const double part = options.refits > 0 ? options.samples_in_all() / options.refits : 0;
  result.refit_after = static_cast<std::size_t>(std::max(
      {static_cast<double>(options.refit_every), std::ceil(fewest), std::floor(part), 1.0}));
  if (options.refit == PostRefit::kNever) result.refit_after.reset();
  result.refit = {.share = options.share,
                  .smoothing = options.smoothing,
                  .mixing = 1 / static_cast<double>(groups)};
  result.proximal = {
      .steps = options.ppo_steps, .rate = options.rate, .target = options.divergence};
  result.scaled_advantages = options.scaled;
  result.best = static_cast<std::size_t>(std::max(options.pool, 0));
  return result;
}

// 0.5 uniform + 0.5 mean of the seeds' rows.
DeviceTable start_table(const GroupedSets& groups, std::size_t devices,
                        std::span<const SetDevices> seeds) {
  DeviceTable table(devices, groups.allowed());
  if (seeds.empty()) return table;
  std::vector<double> sum(groups.allowed().size(), 0.0);
  for (const SetDevices& seed : seeds) {
    const std::vector<double> shares = groups.shares(seed);
    for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += shares[i];
  }
  table.set_weights(sum);
  table.mix_with_uniform(0.5);
  return table;
}

// Every group that may be there on the device, the others where they are in `otherwise`.
std::vector<std::uint32_t> on_device(const GroupedSets& groups, std::size_t devices,
                                     std::uint32_t device, std::vector<std::uint32_t> otherwise) {
  for (std::size_t group = 0; group < groups.size(); ++group)
    if (groups.allowed()[group * devices + device] != 0) otherwise[group] = device;
  return otherwise;
}

double relative(Duration value, const Task& task) {
  return std::max(value / std::max(task.reference, Duration{1e-9}), kSmallest);
}

// Placements of the batch that differ from each other.
std::size_t distinct(std::span<const Scored> samples) {
  std::set<SetDevices> seen;
  for (const Scored& sample : samples) seen.insert(sample.devices);
  return seen.size();
}

}  // namespace

PostLearner::PostLearner(const Task& task, const PostOptions& options)
    : options_(options),
      groups_(task.graph, groups_for(task, options)),
      loop_(start_table(groups_, task.graph.device_count, {}),
            loop_options(options, groups_.size(), task.graph.device_count)) {}

PostSample PostLearner::sample_of(const Task& task, const Scored& scored) {
  const bool fits = scored.score.feasible() && scored.score.value != kForever;
  PostSample sample{.devices = groups_.contracted(scored.devices),
                    .value = relative(scored.score.value, task),
                    .feasible = fits};
  if (fits) {
    longest_ = std::max(longest_, sample.value);
    return sample;
  }
  if (!std::isfinite(sample.value)) sample.value = 2 * std::max(longest_, 1.0);
  sample.value = (1 + scored.score.overflow) * std::max(sample.value, longest_);
  return sample;
}

void PostLearner::prepare(Task& task, Budget& budget, const Rng&) {
  if (task.elite.empty()) return;
  const std::size_t devices = task.graph.device_count;
  std::vector<SetDevices> seeds, first;
  for (const Scored& member : task.elite.members()) {
    seeds.push_back(member.devices);
    first.push_back(groups_.expanded(groups_.rounded(member.devices)));
  }
  const DeviceTable table = start_table(groups_, devices, seeds);
  for (std::uint32_t device = 0; device < devices; ++device)
    first.push_back(groups_.expanded(on_device(groups_, devices, device, table.most_likely())));
  first.resize(
      std::min<std::size_t>(first.size(), budget.evaluations_left().value_or(first.size())));
  loop_.start_from(table);
  for (const Scored& scored : task.score(std::move(first), budget))
    loop_.offer(sample_of(task, scored));
}

void PostLearner::begin_pass(Pass pass) {
  pass_ = pass;
  moves_left_ = pass_length();
}

void PostLearner::end_pass() {
  if (pass_ == Pass::kBeforeRestart) loop_.restart();
  pass_ = Pass::kNone;
}

// Every group and device, as far as the training can afford it.
std::size_t PostLearner::pass_length() const {
  return std::min(loop_.table().logits().size(),
                  static_cast<std::size_t>(std::ceil(kPassShare * options_.samples_in_all())));
}

// Moves of one group of the best placement, as many as asked for or as are left in the pass. A pass
// begins where the last one has ended.
std::vector<SetDevices> PostLearner::next_moves(std::size_t count) {
  std::vector<SetDevices> moves;
  const std::size_t devices = loop_.table().devices();
  std::vector<std::uint32_t> placement = loop_.best().front().devices;
  for (; moves_left_ > 0 && moves.size() < count; --moves_left_) {
    const std::size_t group = move_ / devices;
    const std::uint32_t device = static_cast<std::uint32_t>(move_ % devices);
    move_ = (move_ + 1) % (groups_.size() * devices);
    if (placement[group] == device || !loop_.table().may_use(group, device)) continue;
    const std::uint32_t before = std::exchange(placement[group], device);
    moves.push_back(groups_.expanded(placement));
    placement[group] = before;
  }
  return moves;
}

Samples PostLearner::propose(const Task&, std::size_t count, double progress, const Rng& rng) {
  const double last_pass = 1 - static_cast<double>(pass_length()) / options_.samples_in_all();
  if (options_.moves && !had_last_pass_ && progress >= last_pass) {
    had_last_pass_ = true;
    begin_pass(Pass::kAtEnd);
  }
  Samples samples{.placements = {}, .answers = {}, .groups = groups_.members()};
  if (pass_ != Pass::kNone && !loop_.best().empty()) samples.placements = next_moves(count);
  if (!samples.placements.empty()) return samples;
  if (pass_ != Pass::kNone) end_pass();
  Rng stream = rng.split("rollouts");
  for (std::size_t i = 0; i < count; ++i)
    samples.placements.push_back(groups_.expanded(loop_.table().draw(stream)));
  return samples;
}

Metrics PostLearner::learn(const Task& task, std::span<const Scored> samples, double, const Rng&) {
  std::vector<PostSample> batch;
  double reward = 0;
  for (const Scored& scored : samples) {
    batch.push_back(sample_of(task, scored));
    reward -= std::log(batch.back().value) / static_cast<double>(samples.size());
  }
  JointLoop::Update update;
  if (pass_ != Pass::kNone) {
    for (const PostSample& sample : batch) loop_.offer(sample);
  } else {
    update = loop_.learn(batch);
    if (options_.restart && loop_.is_settled()) {
      begin_pass(Pass::kBeforeRestart);
      if (!options_.moves) end_pass();
    }
  }
  return {{"reward", reward},
          {"entropy", loop_.table().entropy_share()},
          {"kl", update.divergence},
          {"distinct", static_cast<double>(distinct(samples))}};
}

std::vector<SetDevices> PostLearner::learn_measured(Task& task, Budget& budget, const Rng& rng) {
  MeasuredStage stage;
  stage.samples = options_.samples;
  stage.loop = loop_options(options_, groups_.size(), task.graph.device_count);
  if (stage.loop.refit_after) stage.loop.refit_after = kMeasuredRefit;
  stage.loop.refit.share = kMeasuredShare;
  stage.loop.proximal.rate = kMeasuredRate;
  stage.loop.proximal.target = kMeasuredDivergence;
  return measured_stage(task, groups_, loop_, stage, budget, rng);
}

void PostLearner::save(Archive& archive) const {
  loop_.save(archive.parts["loop"]);
  archive.numbers["longest"] = {longest_};
  archive.numbers["pass"] = {static_cast<double>(pass_), static_cast<double>(moves_left_),
                             static_cast<double>(move_), had_last_pass_ ? 1.0 : 0.0};
}

void PostLearner::load(const Archive& archive) {
  loop_.load(archive.parts.at("loop"));
  longest_ = archive.numbers.at("longest").at(0);
  const std::vector<double>& pass = archive.numbers.at("pass");
  pass_ = static_cast<Pass>(static_cast<int>(pass.at(0)));
  moves_left_ = static_cast<std::size_t>(pass.at(1));
  move_ = static_cast<std::size_t>(pass.at(2));
  had_last_pass_ = pass.at(3) != 0;
}

}  // namespace berth
