#include "berth/learn/torch/hdp/policy.h"

#include <algorithm>

#include "berth/learn/torch/learners.h"
#include "berth/learn/torch/tensors.h"

namespace berth {
namespace {

constexpr std::int64_t kTypeWidth = 16;

std::int64_t group_count(const HdpOptions& options, const PolicyGraph& graph) {
  std::size_t most = std::min(static_cast<std::size_t>(options.groups), graph.size());
  if (options.groups_per_device > 0)
    most = std::min(most, static_cast<std::size_t>(options.groups_per_device) * graph.device_count);
  return static_cast<std::int64_t>(most);
}

std::vector<std::uint32_t> fastest_devices(const PolicyGraph& graph) {
  std::vector<std::uint32_t> result;
  for (std::uint32_t set = 0; set < graph.size(); ++set) {
    std::uint32_t best = 0;
    double least = kForever.count();
    for (std::uint32_t d = 0; d < graph.device_count; ++d) {
      const double time = graph.micros[set * graph.device_count + d];
      if (!graph.may_use(set, d) || time >= least) continue;
      best = d;
      least = time;
    }
    result.push_back(best);
  }
  return result;
}

double entropy_of(const torch::Tensor& logs) {
  return -(logs.exp() * logs).sum(1).mean().item<double>();
}

}  // namespace

HdpPolicy::HdpPolicy(const HdpOptions& options, const Task& task, std::uint64_t seed)
    : graph_(task.graph),
      placements_(static_cast<std::size_t>(options.placements)),
      groups_(group_count(options, task.graph)),
      fastest_(fastest_devices(task.graph)),
      types_(type_shares(task.problem, task.graph, operator_types(task.problem))),
      shapes_(output_shapes(task.problem.graph(), task.graph.set_of, task.graph.size())) {
  FeatureMatrix scaled = shapes_;
  standardise(scaled);
  type_shares_ = matrix_tensor(types_);
  told_ = torch::cat({matrix_tensor(scaled), matrix_tensor(neighbour_positions(graph_))}, 1);
  torch::manual_seed(seed);
  using torch::nn::Linear;
  embed_ = register_module("embed", Linear(type_shares_.size(1), kTypeWidth));
  grouper1_ = register_module("grouper1", Linear(kTypeWidth + told_.size(1), options.grouper));
  grouper2_ = register_module("grouper2", Linear(options.grouper, groups_));
  const std::int64_t features =
      static_cast<std::int64_t>(types_.columns + shapes_.columns) + 2 * groups_;
  placer_ = register_module(
      "placer", RecurrentPlacer(options, features, static_cast<std::int64_t>(graph_.device_count),
                                /*both_ways=*/true));
}

std::vector<Groups> HdpPolicy::draw_groupings(const torch::Tensor& logs, std::size_t count,
                                              Rng rng) const {
  const std::vector<float> values = floats(logs);
  const std::size_t width = static_cast<std::size_t>(groups_);
  std::vector<Groups> groupings;
  for (std::size_t i = 0; i < count; ++i) {
    Groups& groups = groupings.emplace_back();
    groups.count = static_cast<std::uint32_t>(width);
    for (std::size_t first = 0; first < values.size(); first += width)
      groups.group_of.push_back(
          static_cast<std::uint32_t>(berth::draw(values, first, first + width, rng) - first));
  }
  return groupings;
}

// log p of each grouping, [groupings].
torch::Tensor HdpPolicy::log_of(const torch::Tensor& logs,
                                const std::vector<Groups>& groupings) const {
  std::vector<torch::Tensor> sums;
  for (const Groups& groups : groupings) {
    const std::vector<std::int64_t> taken(groups.group_of.begin(), groups.group_of.end());
    sums.push_back(logs.gather(1, index_tensor(taken).unsqueeze(1)).sum());
  }
  return torch::stack(sums);
}

torch::Tensor HdpPolicy::described(const Groups& groups) const {
  FeatureMatrix types = group_sums(types_, groups), shapes = group_sums(shapes_, groups);
  const torch::Tensor edges = matrix_tensor(edges_between(graph_, groups));
  const torch::Tensor both = torch::cat({edges, edges.t()}, 1);
  scale_rows(types);
  scale_rows(shapes);
  return torch::cat(
      {matrix_tensor(types), matrix_tensor(shapes), both / (both.amax({1}, true) + 1)}, 1);
}

torch::Tensor HdpPolicy::forbidden_of(const Groups& groups) const {
  const std::size_t devices = graph_.device_count;
  std::vector<std::int64_t> members(groups.count, 0), may(groups.count * devices, 0);
  for (std::uint32_t set = 0; set < graph_.size(); ++set) {
    const std::uint32_t group = groups.group_of[set];
    ++members[group];
    for (std::size_t d = 0; d < devices; ++d)
      if (graph_.may_use(set, d)) ++may[group * devices + d];
  }
  std::vector<std::int64_t> forbidden;
  for (std::size_t group = 0; group < groups.count; ++group) {
    const auto row = may.begin() + static_cast<std::ptrdiff_t>(group * devices);
    const auto end = row + static_cast<std::ptrdiff_t>(devices);
    const bool runs_whole = std::find(row, end, members[group]) != end;
    for (auto count = row; count != end; ++count)
      forbidden.push_back(members[group] == 0
                              ? count != row
                              : (runs_whole ? *count < members[group] : *count == 0));
  }
  return (index_tensor(forbidden) != 0)
      .view({static_cast<std::int64_t>(groups.count), static_cast<std::int64_t>(devices)});
}

SetDevices HdpPolicy::expanded(const Groups& groups,
                               const std::vector<std::uint32_t>& devices) const {
  SetDevices result;
  for (std::uint32_t set = 0; set < graph_.size(); ++set) {
    const std::uint32_t device = devices[groups.group_of[set]];
    result.push_back(graph_.may_use(set, device) ? device : fastest_[set]);
  }
  return result;
}

DrawnPlacements HdpPolicy::draw(std::size_t count, const Rng& rng) {
  const torch::Tensor sets = torch::cat({embed_(type_shares_), told_}, 1);
  const torch::Tensor logs = torch::log_softmax(grouper2_(torch::relu(grouper1_(sets))), 1);
  const std::vector<Groups> groupings =
      draw_groupings(logs, (count + placements_ - 1) / placements_, rng.split("groups"));
  std::vector<torch::Tensor> sequences, forbidden;
  for (const Groups& groups : groupings) {
    sequences.push_back(described(groups));
    forbidden.push_back(forbidden_of(groups));
  }
  const std::int64_t rows = static_cast<std::int64_t>(placements_);
  Rng stream = rng.split("devices");
  const RecurrentPlacerImpl::Decoded decoded = placer_->decode(
      placer_->encode(torch::stack(sequences)), torch::stack(forbidden), rows, drawn_with(stream));
  DrawnPlacements drawn{.placements = {},
                        .log = (log_of(logs, groupings).repeat_interleave(rows) + decoded.log)
                                   .slice(0, 0, static_cast<std::int64_t>(count)),
                        .metrics = {{"entropy", decoded.entropy}, {"grouping", entropy_of(logs)}}};
  for (std::size_t i = 0; i < count; ++i)
    drawn.placements.push_back(expanded(groupings[i / placements_], decoded.devices[i]));
  return drawn;
}

std::unique_ptr<Learner> make_hdp(const HdpOptions& options, const Task& task, std::uint64_t seed) {
  torch::set_num_threads(1);  // sums in one order: the same bytes on every machine
  return std::make_unique<ReinforceLearner>(options,
                                            std::make_shared<HdpPolicy>(options, task, seed));
}

}  // namespace berth
