#include "berth/unit_graph.h"

namespace berth {

UnitGraph::UnitGraph(const Problem& problem) : device_count_(problem.device_count()) {
  add_sums(problem);
  add_neighbours(problem);
  add_nets(problem);
  add_shared_weights(problem);
  using Entry = std::pair<UnitId, std::uint32_t>;
  std::vector<Entry> entries;
  for (std::uint32_t set = 0; set < problem.apart().size(); ++set)
    for (const UnitId unit : problem.apart()[set]) entries.emplace_back(unit, set);
  apart_sets_ = {problem.unit_count(), entries, &Entry::first, &Entry::second};
}

void UnitGraph::add_sums(const Problem& problem) {
  const Graph& graph = problem.graph();
  for (auto* sums : {&weights_, &outputs_, &workspaces_, &largest_workspace_})
    sums->assign(problem.unit_count(), 0);
  time_.assign(problem.unit_count() * device_count_, 0.0);
  for (const UnitId unit : problem.units()) {
    double* const row = &time_[index(unit) * device_count_];
    for (const NodeId node : problem.members(unit)) {
      const std::span<const double> times = problem.time_row(node);
      for (std::size_t d = 0; d < device_count_; ++d) row[d] += times[d];
      const std::int64_t workspace = graph.node(node).workspace.count;
      weights_[unit] += graph.node(node).weights.count;
      workspaces_[unit] += workspace;
      largest_workspace_[unit] = std::max(largest_workspace_[unit], workspace);
      for (const TensorId tensor : graph.outputs(node))
        if (!graph.is_weight(tensor)) outputs_[unit] += graph.tensor(tensor).size.count;
    }
    for (const DeviceId device : problem.devices())
      if (!problem.unit_allows(unit, device)) row[index(device)] = kForever.count();
  }
}

void UnitGraph::add_neighbours(const Problem& problem) {
  const auto push_others = [&](IdLists<UnitId, UnitId>& lists, UnitId unit,
                               std::span<const NodeId> nodes) {
    for (const NodeId node : nodes)
      if (problem.unit_of(node) != unit) lists.push(problem.unit_of(node));
  };
  for (const UnitId unit : problem.units()) {
    for (const NodeId node : problem.members(unit)) {
      push_others(successors_, unit, problem.graph().successors(node));
      push_others(predecessors_, unit, problem.graph().predecessors(node));
    }
    successors_.close_distinct();
    predecessors_.close_distinct();
    neighbours_.push(successors_[unit]);
    neighbours_.push(predecessors_[unit]);
    neighbours_.close_distinct();
  }
}

void UnitGraph::add_nets(const Problem& problem) {
  const Graph& graph = problem.graph();
  IdVector<UnitId, std::uint32_t> seen(problem.unit_count(), ~std::uint32_t{0});
  for (const TensorId tensor : graph.tensors()) {
    const UnitId producer = problem.unit_of(graph.producer(tensor));
    const auto mark = static_cast<std::uint32_t>(index(tensor));
    const auto begin = static_cast<std::uint32_t>(consumers_.size());
    seen[producer] = mark;
    for (const NodeId consumer : graph.consumers(tensor)) {
      const UnitId unit = problem.unit_of(consumer);
      if (seen[unit] == mark) continue;
      seen[unit] = mark;
      consumers_.push_back(unit);
    }
    const auto end = static_cast<std::uint32_t>(consumers_.size());
    if (end != begin) nets_.push_back({tensor, producer, begin, end});
  }
}

void UnitGraph::add_shared_weights(const Problem& problem) {
  private_weights_ = weights_;
  using Entry = std::pair<UnitId, std::uint32_t>;
  std::vector<Entry> entries;
  for (const Net& net : nets_) {
    if (!problem.graph().is_weight(net.tensor)) continue;
    const auto at = static_cast<std::uint32_t>(shared_weights_.size());
    const Bytes size = problem.graph().tensor(net.tensor).size;
    shared_weights_.push_back({net, size});
    private_weights_[net.producer] -= size.count;
    entries.emplace_back(net.producer, at);
    for (const UnitId unit : consumers(net)) entries.emplace_back(unit, at);
  }
  shared_of_ = {problem.unit_count(), entries, &Entry::first, &Entry::second};
}

const UnitGraph& unit_graph(const Problem& problem) {
  const Problem::Data& data = *problem.data_;
  std::call_once(data.once, [&] { data.units = std::make_shared<const UnitGraph>(problem); });
  return *data.units;
}

}  // namespace berth
