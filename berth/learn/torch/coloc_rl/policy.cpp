#include "berth/learn/torch/coloc_rl/policy.h"

#include "berth/learn/group_features.h"
#include "berth/learn/heavy_edge_groups.h"
#include "berth/learn/torch/learners.h"
#include "berth/learn/torch/tensors.h"

namespace berth {
namespace {

constexpr std::int64_t kTypeWidth = 16;

Groups groups_for(const Task& task, const ColocRlOptions& options) {
  return heavy_edge_groups(task.problem, task.graph, static_cast<std::size_t>(options.groups));
}

IdVector<NodeId, std::uint32_t> group_of_node(const PolicyGraph& graph, const Groups& groups) {
  IdVector<NodeId, std::uint32_t> result = graph.set_of;
  for (std::uint32_t& entry : result) entry = groups.group_of[entry];
  return result;
}

torch::Tensor forbidden_of(const GroupedSets& groups, std::int64_t devices) {
  const std::vector<std::int64_t> allowed(groups.allowed().begin(), groups.allowed().end());
  return (index_tensor(allowed) == 0).view({1, static_cast<std::int64_t>(groups.size()), devices});
}

}  // namespace

ColocRlPolicy::ColocRlPolicy(const ColocRlOptions& options, const Task& task, std::uint64_t seed)
    : groups_(task.graph, groups_for(task, options)) {
  describe(task, groups_for(task, options));
  const std::int64_t devices = static_cast<std::int64_t>(task.graph.device_count);
  forbidden_ = forbidden_of(groups_, devices);
  torch::manual_seed(seed);
  embed_ = register_module("embed", torch::nn::Linear(types_.size(1), kTypeWidth));
  placer_ = register_module(
      "placer", RecurrentPlacer(options, kTypeWidth + told_.size(1), devices, /*both_ways=*/false));
}

void ColocRlPolicy::describe(const Task& task, const Groups& groups) {
  const std::vector<std::string> types = operator_types(task.problem);
  const torch::Tensor sums =
      matrix_tensor(group_sums(type_shares(task.problem, task.graph, types), groups));
  types_ = sums / sums.sum(1, true);
  FeatureMatrix shapes =
      output_shapes(task.problem.graph(), group_of_node(task.graph, groups), groups.count);
  standardise(shapes);
  const torch::Tensor edges = matrix_tensor(edges_between(task.graph, groups));
  const torch::Tensor adjacent = (edges + edges.t() > 0).to(torch::kFloat);
  told_ = torch::cat({matrix_tensor(shapes), adjacent}, 1);
}

DrawnPlacements ColocRlPolicy::draw(std::size_t count, const Rng& rng) {
  const torch::Tensor groups = torch::cat({embed_(types_), told_}, 1).unsqueeze(0);
  Rng stream = rng.split("devices");
  const RecurrentPlacerImpl::Decoded decoded = placer_->decode(
      placer_->encode(groups), forbidden_, static_cast<std::int64_t>(count), drawn_with(stream));
  DrawnPlacements drawn{.placements = {},
                        .log = decoded.log,
                        .groups = groups_.members(),
                        .metrics = {{"entropy", decoded.entropy}}};
  for (const std::vector<std::uint32_t>& devices : decoded.devices)
    drawn.placements.push_back(groups_.expanded(devices));
  return drawn;
}

std::unique_ptr<Learner> make_coloc_rl(const ColocRlOptions& options, const Task& task,
                                       std::uint64_t seed) {
  torch::set_num_threads(1);  // sums in one order: the same bytes on every machine
  return std::make_unique<ReinforceLearner>(options,
                                            std::make_shared<ColocRlPolicy>(options, task, seed));
}

}  // namespace berth
