#include <cmath>
#include <map>
#include <set>

#include <fmt/format.h>

#include "berth/sim/evaluate.h"
#include "tests/support/naive_simulator.h"

namespace berth::naive {
namespace {

std::optional<std::string> broken_constraint(const Problem& problem, const Placement& placement) {
  const Graph& graph = problem.graph();
  const auto at = [&](NodeId node) { return placement.device_of[node]; };
  for (const NodeId node : graph.nodes())
    if (!std::isfinite(problem.costs().times(node, at(node)).count()))
      return fmt::format("node {} cannot run on device {}", index(node), index(at(node)));
  for (const auto& pin : problem.constraints().pin)
    if (at(pin.node) != pin.device)
      return fmt::format("node {} is not where it is pinned", index(pin.node));
  for (const auto& forbid : problem.constraints().forbid)
    if (at(forbid.node) == forbid.device)
      return fmt::format("node {} is where it is forbidden", index(forbid.node));
  for (const auto& nodes : problem.constraints().together)
    for (const NodeId node : nodes)
      if (at(node) != at(nodes.front()))
        return fmt::format("node {} is not with its mates", index(node));
  std::map<std::int32_t, DeviceId> of_group;
  for (const NodeId node : graph.nodes()) {
    if (graph.node(node).group == kNoGroup) continue;
    if (of_group.try_emplace(graph.node(node).group, at(node)).first->second != at(node))
      return fmt::format("node {} is not with its group", index(node));
  }
  for (const auto& nodes : problem.constraints().apart)
    for (std::size_t i = 0; i < nodes.size(); ++i)
      for (std::size_t j = 0; j < i; ++j)
        if (nodes[i] != nodes[j] && at(nodes[i]) == at(nodes[j]))
          return fmt::format("nodes {} and {} are not apart", index(nodes[j]), index(nodes[i]));
  return std::nullopt;
}

std::optional<std::string> broken_replica(const Problem& problem, const Placement& placement) {
  std::set<DeviceId> replicas;
  for (const Replica& replica : placement.replicas)
    if (!replicas.insert(replica.device).second) return "a device is two replicas";
  for (const Replica& replica : placement.replicas) {
    if (replicas.count(replica.of)) return "a replica of a replica";
    Placement moved = placement;
    for (const NodeId node : problem.graph().nodes()) {
      if (placement.device_of[node] == replica.device) return "a replica has work of its own";
      if (placement.device_of[node] == replica.of) moved.device_of[node] = replica.device;
    }
    moved.replicas.clear();
    if (const auto why = broken_constraint(problem, moved)) return "as a replica: " + *why;
  }
  return std::nullopt;
}

std::optional<std::string> broken_memory(const Problem& problem, const Placement& placement) {
  const Schedule schedule = problem.as<Concurrent>() ? concurrent_schedule(problem, placement)
                                                     : simulate(problem, placement).schedule;
  IdVector<DeviceId, MemoryUse> memory = naive::peak_memory(problem, placement, schedule);
  for (const Replica& replica : placement.replicas) memory[replica.device] = memory[replica.of];
  for (const DeviceId device : problem.devices()) {
    const std::optional<Bytes> limit = problem.cluster().device(device).memory;
    if (limit && memory[device].peak() > *limit)
      return fmt::format("device {} holds {} of {} bytes", index(device),
                         memory[device].peak().count, limit->count);
  }
  return std::nullopt;
}

std::optional<std::string> broken_shape(const Problem& problem, const Placement& placement) {
  const std::span<const DeviceId> device_of = placement.device_of.items();
  if (const CallLatency* model = problem.as<CallLatency>()) {
    std::map<DeviceId, int> calls;
    for (const std::set<NodeId>& piece : pieces(problem, device_of, PieceKind::kCalls))
      ++calls[placement.device_of[*piece.begin()]];
    for (const auto& [device, count] : calls)
      if (!problem.cluster().device(device).is_host() && count > model->pieces)
        return fmt::format("device {} has {} pieces", index(device), count);
  }
  if (wants_contiguous(problem) && !naive::forms_pipeline(problem, device_of))
    return "the pieces are not contiguous";
  const int most = problem.model().max_subgraphs;
  if (most > 0 &&
      pieces(problem, device_of, PieceKind::kSubgraphs).size() > static_cast<std::size_t>(most))
    return "there are too many subgraphs";
  return std::nullopt;
}

std::optional<std::string> broken_order(const Problem& problem, const Placement& placement) {
  std::map<NodeId, std::size_t> position;
  for (std::size_t i = 0; i < placement.order.size(); ++i) position[placement.order[i]] = i;
  if (placement.order.empty()) return std::nullopt;
  if (position.size() != problem.node_count()) return "the order does not list every node once";
  for (const NodeId node : problem.graph().nodes())
    for (const NodeId next : problem.graph().successors(node))
      if (position.at(next) < position.at(node)) return "the order runs a node before its input";
  return std::nullopt;
}

}  // namespace

bool wants_contiguous(const Problem& problem) {
  if (const MaxLoad* load = problem.as<MaxLoad>()) return load->contiguous;
  const InPieces* pieces = problem.as<InPieces>();
  return pieces && pieces->objective == Objective::kThroughput && pieces->contiguous;
}

std::optional<std::string> broken(const Problem& problem, const Placement& placement) {
  if (placement.device_of.size() != problem.node_count()) return "some nodes have no device";
  for (const auto check :
       {broken_constraint, broken_replica, broken_order, broken_shape, broken_memory})
    if (const auto why = check(problem, placement)) return why;
  return std::nullopt;
}

}  // namespace berth::naive
