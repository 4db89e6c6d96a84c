#include "berth/placement.h"

#include <fmt/format.h>

namespace berth {
namespace {

std::optional<std::string> broken_order(const Problem& problem, const std::vector<NodeId>& order) {
  const Graph& graph = problem.graph();
  if (order.size() != problem.node_count())
    return fmt::format("the order lists {} nodes, the graph has {}", order.size(),
                       problem.node_count());
  IdVector<NodeId, bool> seen(problem.node_count(), false);
  for (const NodeId node : order) {
    if (index(node) >= problem.node_count() || seen[node])
      return fmt::format("the order names node {} twice, or it does not exist", index(node));
    seen[node] = true;
    for (const NodeId before : graph.predecessors(node))
      if (!seen[before])
        return fmt::format("the order runs '{}' before its input '{}'", problem.node_name(node),
                           problem.node_name(before));
  }
  return std::nullopt;
}

std::optional<std::string> broken_replica(const Problem& problem, const Placement& placement) {
  const auto name = [&](DeviceId device) { return problem.device_name(device); };
  if (!problem.model().knows_replicas())
    return "replicas are for throughput, of calls or of pieces";
  std::vector<bool> is_replica(problem.device_count(), false);
  for (const Replica& replica : placement.replicas) {
    if (index(replica.device) >= problem.device_count() ||
        index(replica.of) >= problem.device_count())
      return fmt::format("a replica names device {}, but there are {}",
                         std::max(index(replica.device), index(replica.of)),
                         problem.device_count());
    if (is_replica[index(replica.device)] || replica.device == replica.of)
      return fmt::format("{} is a replica of itself or of two devices", name(replica.device));
    is_replica[index(replica.device)] = true;
  }
  for (const auto [device, of] : placement.replicas) {
    if (problem.counts_network() &&
        problem.cluster().device(device).server != problem.cluster().device(of).server)
      return fmt::format("{} is a replica of {}, which is in another server", name(device),
                         name(of));
    if (is_replica[index(of)])
      return fmt::format("{} is a replica of {}, which is one itself", name(device), name(of));
    for (const NodeId node : problem.graph().nodes()) {
      if (placement.device_of[node] == device)
        return fmt::format("{} is a replica of {}, but runs '{}' by itself", name(device), name(of),
                           problem.node_name(node));
      if (placement.device_of[node] == of && !problem.allows(node, device))
        return fmt::format("node '{}' may not run on {}, a replica of {}", problem.node_name(node),
                           name(device), name(of));
    }
  }
  return std::nullopt;
}

}  // namespace

Placement on_one_device(const Problem& problem, DeviceId device) {
  return {IdVector<NodeId, DeviceId>(problem.node_count(), device), {}};
}

Placement from_units(const Problem& problem, const IdVector<UnitId, DeviceId>& device_of) {
  Placement placement{IdVector<NodeId, DeviceId>(problem.node_count()), {}};
  for (const NodeId node : problem.graph().nodes())
    placement.device_of[node] = device_of[problem.unit_of(node)];
  return placement;
}

IdVector<UnitId, DeviceId> to_units(const Problem& problem, const Placement& placement) {
  IdVector<UnitId, DeviceId> device_of(problem.unit_count());
  for (const UnitId unit : problem.units())
    device_of[unit] = placement.device_of[problem.members(unit).front()];
  return device_of;
}

std::optional<std::string> broken_rule(const Problem& problem, const Placement& placement) {
  const Graph& graph = problem.graph();
  if (placement.device_of.size() != problem.node_count())
    return fmt::format("the placement covers {} nodes, the graph has {}",
                       placement.device_of.size(), problem.node_count());
  for (const NodeId node : graph.nodes()) {
    const DeviceId device = placement.device_of[node];
    if (index(device) >= problem.device_count())
      return fmt::format("node '{}' is on device {}, but there are {}", problem.node_name(node),
                         index(device), problem.device_count());
    const NodeId first = problem.members(problem.unit_of(node)).front();
    if (placement.device_of[first] != device)
      return fmt::format("nodes '{}' and '{}' must share a device, but are on {} and {}",
                         problem.node_name(first), problem.node_name(node),
                         problem.device_name(placement.device_of[first]),
                         problem.device_name(device));
    if (!problem.allows(node, device))
      return fmt::format("node '{}' may not run on {}", problem.node_name(node),
                         problem.device_name(device));
  }
  for (const std::vector<UnitId>& set : problem.apart())
    for (std::size_t i = 0; i < set.size(); ++i)
      for (std::size_t j = i + 1; j < set.size(); ++j) {
        const NodeId a = problem.members(set[i]).front(), b = problem.members(set[j]).front();
        if (placement.device_of[a] == placement.device_of[b])
          return fmt::format("nodes '{}' and '{}' must be apart, but both are on {}",
                             problem.node_name(a), problem.node_name(b),
                             problem.device_name(placement.device_of[a]));
      }
  if (!placement.replicas.empty())
    if (std::optional<std::string> broken = broken_replica(problem, placement)) return broken;
  if (!placement.order.empty()) return broken_order(problem, placement.order);
  return std::nullopt;
}

}  // namespace berth
