#include "berth/place/latency/whole_units.h"

#include <algorithm>

namespace berth {
namespace {

// The least over entries and exits of the longest path between them: what a path that passes the
// nodes takes at least. -infinity when some entry does not reach some exit.
template <class Time>
double least_passage(const Graph& graph, std::span<const NodeId> nodes, const Time& time) {
  IdVector<NodeId, bool> inside(graph.node_count(), false);
  for (const NodeId node : nodes) inside[node] = true;
  const auto all_inside = [&](std::span<const NodeId> others) {
    return std::ranges::all_of(others, [&](NodeId other) { return inside[other]; });
  };
  std::vector<NodeId> members, exits;
  std::vector<std::optional<NodeId>> entries;
  for (const NodeId node : graph.topological_order()) {
    if (!inside[node]) continue;
    members.push_back(node);
    if (!all_inside(graph.predecessors(node))) entries.emplace_back(node);
    if (!all_inside(graph.successors(node))) exits.push_back(node);
  }
  if (entries.empty()) entries.emplace_back();  // paths may start anywhere
  IdVector<NodeId, double> longest(graph.node_count());
  double least = kInfinity;
  for (const std::optional<NodeId>& entry : entries) {
    double most = -kInfinity;
    for (const NodeId node : members) {
      double before = !entry || *entry == node ? 0 : -kInfinity;
      for (const NodeId other : graph.predecessors(node))
        if (inside[other]) before = std::max(before, longest[other]);
      longest[node] = before + time(node);
      most = std::max(most, longest[node]);
    }
    for (const NodeId exit : exits) least = std::min(least, longest[exit]);
    if (exits.empty()) least = std::min(least, most);
  }
  return least;
}

bool acts_as_one(const Problem& problem, UnitId unit) {
  return problem.members(unit).size() == 1 ||
         least_passage(problem.graph(), problem.members(unit), [](NodeId) { return 0.0; }) >
             -kInfinity;
}

// The problem with some units taken apart.
Problem relaxed(const Problem& problem, const IdVector<UnitId, bool>& taken_apart) {
  IdVector<NodeId, std::int32_t> group_of(problem.node_count(), kNoGroup);
  for (const NodeId node : problem.graph().nodes())
    if (!taken_apart[problem.unit_of(node)]) group_of[node] = problem.graph().node(node).group;
  Constraints constraints = problem.constraints();
  std::erase_if(constraints.together, [&](const std::vector<NodeId>& nodes) {
    return !nodes.empty() && taken_apart[problem.unit_of(nodes.front())];
  });
  return Problem(problem.name(), problem.graph().with_groups(group_of), problem.cluster(),
                 problem.costs(), std::move(constraints), problem.model());
}

}  // namespace

Problem with_whole_units(const Problem& problem) {
  IdVector<UnitId, bool> taken_apart(problem.unit_count(), false);
  const bool several = problem.get<CallLatency>().pieces > 1;
  for (const UnitId unit : problem.units())
    taken_apart[unit] = several ? problem.members(unit).size() > 1 : !acts_as_one(problem, unit);
  return std::ranges::count(taken_apart, true) > 0 ? relaxed(problem, taken_apart) : problem;
}

std::vector<double> cpu_passages(const Problem& problem, const LoadModel& model) {
  std::vector<double> result;
  for (const LoadModel::Unit& unit : model.units) {
    double& least = result.emplace_back(kInfinity);
    for (std::size_t c = 0; c < model.classes.size(); ++c) {
      if (model.classes[c].price >= 0 || !(unit.time[c][0] < kInfinity)) continue;
      const DeviceId device = model.classes[c].devices.front();
      const auto time = [&](NodeId node) { return problem.time(node, device).count(); };
      const double passage = unit.nodes.size() == 1
                                 ? time(unit.nodes.front())
                                 : least_passage(problem.graph(), unit.nodes, time);
      least = std::min(least, std::max(0.0, passage));
    }
  }
  return result;
}

}  // namespace berth
