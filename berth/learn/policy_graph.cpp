#include "berth/learn/policy_graph.h"

#include <algorithm>
#include <map>

#include "berth/graph/union_find.h"
#include "berth/unit_graph.h"

namespace berth {
namespace {

constexpr std::uint32_t kUnnumbered = 0xffffffff;

// Units joined as the rule says.
UnionFind joined_units(const Problem& problem, Colocation colocation) {
  if (colocation == Colocation::kUnits) return UnionFind(problem.unit_count());
  const UnitGraph& graph = unit_graph(problem);
  const std::size_t units = problem.unit_count(), devices = problem.device_count();
  std::vector<std::uint8_t> allowed(units * devices);
  for (const UnitId unit : problem.units())
    for (const DeviceId device : problem.devices())
      allowed[index(unit) * devices + index(device)] = problem.unit_allows(unit, device) ? 1 : 0;
  const auto keeps_apart = [&](std::uint32_t unit) {
    return !graph.apart_sets(static_cast<UnitId>(unit)).empty();
  };
  UnionFind sets(units);
  for (std::uint32_t next = 0; next < units; ++next) {
    const std::span<const UnitId> before = graph.predecessors(static_cast<UnitId>(next));
    if (before.size() != 1) continue;
    const auto unit = static_cast<std::uint32_t>(before.front());
    if (colocation == Colocation::kChains && graph.successors(before.front()).size() != 1) continue;
    if (keeps_apart(unit) || keeps_apart(next)) continue;
    const std::uint32_t a = sets.find(unit), b = sets.find(next);
    if (a == b) continue;
    std::vector<std::uint8_t> both(devices);
    for (std::size_t d = 0; d < devices; ++d)
      both[d] = allowed[a * devices + d] & allowed[b * devices + d];
    if (std::none_of(both.begin(), both.end(), [](std::uint8_t yes) { return yes != 0; })) continue;
    const std::size_t root = sets.join(a, b);
    std::copy(both.begin(), both.end(),
              allowed.begin() + static_cast<std::ptrdiff_t>(root * devices));
  }
  return sets;
}

// `label_of(node)`: the same number below `labels` for all nodes of a set, and for no others.
void number_sets(const Problem& problem, std::size_t labels, auto label_of, PolicyGraph& result) {
  std::vector<std::uint32_t> number(labels, kUnnumbered);
  result.set_of = IdVector<NodeId, std::uint32_t>(problem.node_count());
  for (const NodeId node : problem.graph().topological_order()) {
    std::uint32_t& set = number[label_of(node)];
    if (set == kUnnumbered) {
      set = static_cast<std::uint32_t>(result.members.size());
      result.members.emplace_back();
    }
    result.set_of[node] = set;
    result.members[set].push_back(node);
  }
}

void add_edges(const Graph& graph, PolicyGraph& result) {
  std::map<std::pair<std::uint32_t, std::uint32_t>, double> bytes;
  for (const TensorId tensor : graph.tensors()) {
    const NodeId producer = graph.producer(tensor);
    const std::uint32_t from = result.set_of[producer];
    std::vector<std::uint32_t> to;
    for (const NodeId consumer : graph.consumers(tensor)) to.push_back(result.set_of[consumer]);
    std::sort(to.begin(), to.end());
    to.erase(std::unique(to.begin(), to.end()), to.end());
    const double size =
        graph.node(producer).frequency * static_cast<double>(graph.tensor(tensor).size.count);
    for (const std::uint32_t set : to)
      if (set != from) bytes[{from, set}] += size;
  }
  result.successors.resize(result.size());
  for (const auto& [ends, size] : bytes) {
    result.edges.push_back({ends.first, ends.second, size});
    result.successors[ends.first].push_back(ends.second);
  }
  result.predecessors = reversed(result.successors);
}

PolicyGraph graph_of_sets(const Problem& problem, std::size_t labels, auto label_of) {
  const Graph& graph = problem.graph();
  PolicyGraph result;
  result.device_count = problem.device_count();
  number_sets(problem, labels, label_of, result);
  add_edges(graph, result);
  const std::size_t devices = result.device_count;
  result.micros.assign(result.size() * devices, 0.0);
  result.allowed.assign(result.size() * devices, 1);
  for (std::vector<double>* sums : {&result.weight_bytes, &result.output_bytes, &result.flops})
    sums->assign(result.size(), 0.0);
  for (const NodeId node : graph.nodes()) {
    const std::uint32_t set = result.set_of[node];
    for (const DeviceId device : problem.devices()) {
      const std::size_t at = set * devices + index(device);
      result.micros[at] += problem.time(node, device).count();
      if (!problem.allows(node, device)) result.allowed[at] = 0;
    }
    const Node& data = graph.node(node);
    result.weight_bytes[set] += static_cast<double>(data.weights.count);
    result.flops[set] += data.frequency * data.flops;
    for (const TensorId tensor : graph.outputs(node))
      result.output_bytes[set] += static_cast<double>(graph.tensor(tensor).size.count);
  }
  return result;
}

}  // namespace

PolicyGraph policy_graph(const Problem& problem, Colocation colocation) {
  UnionFind sets = joined_units(problem, colocation);
  return graph_of_sets(problem, problem.unit_count(), [&](NodeId node) {
    return sets.find(static_cast<std::uint32_t>(problem.unit_of(node)));
  });
}

PolicyGraph contracted(const Problem& problem, const PolicyGraph& graph, const Groups& groups) {
  return graph_of_sets(problem, groups.count,
                       [&](NodeId node) { return groups.group_of[graph.set_of[node]]; });
}

Placement spread(const PolicyGraph& graph, const SetDevices& devices) {
  Placement placement{IdVector<NodeId, DeviceId>(graph.set_of.size()), {}};
  for (std::size_t set = 0; set < graph.size(); ++set)
    for (const NodeId node : graph.members[set])
      placement.device_of[node] = static_cast<DeviceId>(devices[set]);
  return placement;
}

SetDevices gather(const PolicyGraph& graph, const Placement& placement) {
  SetDevices result;
  for (const std::vector<NodeId>& members : graph.members)
    result.push_back(static_cast<std::uint32_t>(placement.device_of[members.front()]));
  return result;
}

SetGroup neighbourhood(const PolicyGraph& graph, std::size_t size, Rng& rng) {
  SetGroup found{static_cast<std::uint32_t>(rng.below(graph.size()))};
  std::vector<std::uint8_t> is_found(graph.size(), 0);
  is_found[found.front()] = 1;
  for (std::size_t i = 0; i < found.size() && found.size() < size; ++i)
    for (const Adjacency* edges : {&graph.successors, &graph.predecessors})
      for (const std::uint32_t next : (*edges)[found[i]])
        if (is_found[next] == 0 && found.size() < size) {
          is_found[next] = 1;
          found.push_back(next);
        }
  return found;
}

}  // namespace berth
