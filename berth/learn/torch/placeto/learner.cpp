#include "berth/learn/torch/placeto/learner.h"

#include <algorithm>
#include <cmath>

#include "berth/base/parallel.h"
#include "berth/learn/heavy_edge_groups.h"
#include "berth/learn/torch/graph_layers.h"
#include "berth/learn/torch/learners.h"
#include "berth/learn/torch/state.h"
#include "berth/learn/torch/tensors.h"

namespace berth {
namespace {

constexpr double kLargestNorm = 1.25;   // of a gradient
constexpr double kLast = 0.1;           // of rate and entropy, at the end
constexpr std::size_t kColumns = 8192;  // (set, step, episode) triples whose gradients are held

torch::Tensor forbidden_pairs(const PolicyGraph& graph) {
  std::vector<std::int64_t> forbidden;
  for (const std::uint8_t yes : graph.allowed) forbidden.push_back(yes == 0 ? 1 : 0);
  const std::int64_t devices = static_cast<std::int64_t>(graph.device_count);
  return index_tensor(forbidden).reshape({-1, devices}).t().contiguous() != 0;
}

PlacetoNetwork network_for(const PlacetoOptions& options, std::size_t features, std::size_t devices,
                           std::uint64_t seed) {
  torch::manual_seed(seed);
  return PlacetoNetwork(static_cast<std::int64_t>(features), static_cast<std::int64_t>(devices),
                        options.rounds);
}

}  // namespace

PlacetoLearner::PlacetoLearner(const PlacetoOptions& options, const Task& task, std::uint64_t seed)
    : PlacetoLearner(
          options, task,
          heavy_edge_groups(task.problem, task.graph, static_cast<std::size_t>(options.groups)),
          seed) {}

PlacetoLearner::PlacetoLearner(const PlacetoOptions& options, const Task& task,
                               const Groups& groups, std::uint64_t seed)
    : options_(options),
      groups_(task.graph, groups),
      graph_(contracted(task.problem, task.graph, groups)),
      order_(graph_.successors),
      features_(graph_, order_),
      edges_(graph_),
      forbidden_(forbidden_pairs(graph_)),
      network_(network_for(options, features_.width(), graph_.device_count, seed)),
      optimizer_(network_->parameters(), options.rate, kLargestNorm),
      start_(graph_.size(), 0),
      walks_per_thread_(placements_per_thread(task.problem)) {}

// Every set that may be there, the others where they are fastest.
SetDevices PlacetoLearner::on_device(std::uint32_t device) const {
  SetDevices result;
  for (std::uint32_t set = 0; set < graph_.size(); ++set) {
    std::uint32_t best = device;
    const double* micros = &graph_.micros[set * graph_.device_count];
    for (std::uint32_t d = 0; d < graph_.device_count && !graph_.may_use(set, device); ++d)
      if (graph_.may_use(set, d) && (!graph_.may_use(set, best) || micros[d] < micros[best]))
        best = d;
    result.push_back(best);
  }
  return result;
}

void PlacetoLearner::prepare(Task& task, Budget& budget, const Rng&) {
  std::vector<SetDevices> single;
  for (std::uint32_t device = 0; device < graph_.device_count; ++device)
    single.push_back(groups_.expanded(on_device(device)));
  const std::vector<Scored> scored = task.score(std::move(single), budget);
  const auto best = std::ranges::min_element(
      scored, [](const Scored& a, const Scored& b) { return a.score < b.score; });
  start_ = groups_.rounded(task.elite.empty() ? best->devices : task.elite.best().devices);
}

void PlacetoLearner::start_walks(std::size_t count, const Problem& problem) {
  while (walks_.size() < count) walks_.emplace_back(problem, graph_);
  for (std::size_t i = 0; i < count; ++i) walks_[i].start(start_);
  episodes_ = {.count = count, .states = {}, .devices = {}};
}

torch::Tensor PlacetoLearner::state_before(std::size_t step) const {
  const std::int64_t count = static_cast<std::int64_t>(episodes_.count);
  const torch::Tensor x = torch::empty({static_cast<std::int64_t>(features_.width()),
                                        static_cast<std::int64_t>(graph_.size()), 1, count});
  const std::span<float> values(x.mutable_data_ptr<float>(), static_cast<std::size_t>(x.numel()));
  for (std::size_t i = 0; i < episodes_.count; ++i)
    features_.write(walks_[i], step, i, episodes_.count, values);
  return x;
}

torch::Tensor PlacetoLearner::logs_of(const torch::Tensor& x, std::size_t first) {
  const PlacetoVisits visits(order_, first, static_cast<std::size_t>(x.size(2)));
  const torch::Tensor forbidden = forbidden_.index_select(1, visits.node).unsqueeze(2);
  return torch::log_softmax(network_(x, edges_, visits).masked_fill(forbidden, -1e9), 0);
}

void PlacetoLearner::take_step(std::size_t step, Rng& rng) {
  const torch::NoGradGuard off;
  episodes_.states.push_back(state_before(step));
  const std::vector<float> logs = floats(logs_of(episodes_.states.back(), step).squeeze(1).t());
  const std::size_t devices = graph_.device_count;
  const std::size_t first = episodes_.devices.size();
  for (std::size_t i = 0; i < episodes_.count; ++i)
    episodes_.devices.push_back(
        static_cast<std::int64_t>(draw(logs, i * devices, (i + 1) * devices, rng) - i * devices));
  const ItemWorker move = [&](std::size_t i) {
    walks_[i].move(order_[step], static_cast<std::uint32_t>(episodes_.devices[first + i]));
  };
  for_each_item(
      episodes_.count, thread_count(0), [&] { return move; }, walks_per_thread_);
}

std::vector<Scored> PlacetoLearner::play(const Task& task, std::size_t count, double,
                                         Budget& budget, const Rng& rng) {
  const auto limited = [&](std::size_t wanted) {
    return std::min<std::uint64_t>(budget.evaluations_left().value_or(wanted), wanted);
  };
  count = std::max<std::size_t>(limited(count + 1), 2) - 1;  // one evaluation is the start's
  start_walks(count, task.problem);
  budget.count();
  std::vector<Scored> seen{{groups_.expanded(walks_[0].devices()), walks_[0].score()}};
  Rng stream = rng.split("rollouts");
  for (std::size_t step = 0; step < order_.size(); ++step) {
    if (limited(count) < count || budget.seconds_left().value_or(1) <= 0) break;
    take_step(step, stream);
    budget.count(count);
    for (std::size_t i = 0; i < count; ++i)
      seen.push_back({groups_.expanded(walks_[i].devices()), walks_[i].score()});
  }
  return seen;
}

double PlacetoLearner::add_gradient(std::size_t first, std::size_t steps,
                                    const torch::Tensor& advantage, double beta) {
  const auto from = [&](std::size_t step) {
    return episodes_.states.begin() + static_cast<std::ptrdiff_t>(step);
  };
  const torch::Tensor x =
      torch::cat(std::vector<torch::Tensor>(from(first), from(first + steps)), 2);
  const std::int64_t begin = static_cast<std::int64_t>(first),
                     count = static_cast<std::int64_t>(steps);
  const torch::Tensor logs = logs_of(x, first);
  const torch::Tensor drawn = index_tensor(episodes_.devices)
                                  .reshape({1, -1, static_cast<std::int64_t>(episodes_.count)})
                                  .slice(1, begin, begin + count);
  const double all = static_cast<double>(episodes_.devices.size());
  const torch::Tensor gain =
      (logs.gather(0, drawn).squeeze(0) * advantage.slice(0, begin, begin + count)).sum() / all;
  const torch::Tensor entropy = -(logs.exp() * logs.clamp_min(-1e4)).sum() / all;
  (-gain - beta * entropy).backward();
  return entropy.item<double>();
}

Metrics PlacetoLearner::learn(const Task& task, std::span<const Scored> samples, double progress,
                              const Rng&) {
  const std::size_t steps = episodes_.steps(), count = episodes_.count;
  if (steps == 0) return {{"reward", 0.0}, {"entropy", 0.0}};
  std::vector<std::vector<double>> returns;
  double reward = 0;
  for (std::size_t i = 0; i < count; ++i) {
    std::vector<double> costs{relative_cost(samples[0].score, task.reference)};
    for (std::size_t t = 0; t < steps; ++t)
      costs.push_back(relative_cost(samples[1 + t * count + i].score, task.reference));
    returns.push_back(step_returns(costs, options_.gamma));
    reward += (costs.front() - costs.back()) / static_cast<double>(count);
  }
  std::vector<float> weights(steps * count);
  const std::vector<std::vector<double>> advantages = baseline_.advantages(returns);
  for (std::size_t i = 0; i < count; ++i)
    for (std::size_t t = 0; t < steps; ++t)
      weights[t * count + i] = static_cast<float>(advantages[i][t]);
  const torch::Tensor advantage =
      torch::tensor(weights).reshape({-1, static_cast<std::int64_t>(count)});

  const std::size_t chunk = std::max<std::size_t>(kColumns / (graph_.size() * count), 1);
  double entropy = 0;
  optimizer_.set_rate(options_.rate * (1 + (kLast - 1) * progress));
  optimizer_.forget_gradient();
  for (std::size_t first = 0; first < steps; first += chunk)
    entropy += add_gradient(first, std::min(chunk, steps - first), advantage,
                            options_.entropy * std::pow(kLast, progress));
  optimizer_.step();
  return {{"reward", reward}, {"entropy", entropy}};
}

void PlacetoLearner::save(Archive& archive) const {
  archive.parts["network"] = to_archive(network_->parameters());
  optimizer_.save(archive.parts["optimizer"]);
  baseline_.save(archive.parts["baseline"]);
  archive.numbers["start"].assign(start_.begin(), start_.end());
}

void PlacetoLearner::load(const Archive& archive) {
  restore(archive.parts.at("network"), network_->parameters());
  optimizer_.load(archive.parts.at("optimizer"));
  baseline_.load(archive.parts.at("baseline"));
  const std::vector<double>& start = archive.numbers.at("start");
  start_.clear();
  for (const double device : start) start_.push_back(static_cast<std::uint32_t>(device));
}

std::unique_ptr<Learner> make_placeto(const PlacetoOptions& options, const Task& task,
                                      std::uint64_t seed) {
  // The matrices are small: a second thread of LibTorch costs more in waiting than it brings.
  torch::set_num_threads(1);
  return std::make_unique<PlacetoLearner>(options, task, seed);
}

}  // namespace berth
