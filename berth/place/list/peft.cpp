#include "berth/place/list/peft.h"

#include <queue>
#include <utility>

#include "berth/place/list/list_schedule.h"

namespace berth {
namespace {

double mean_tail(const Problem& problem, const PathTimes& tails, NodeId node) {
  double sum = 0, count = 0;
  for (const DeviceId device : problem.devices())
    if (problem.allows(node, device)) sum += tails.at(node, device), ++count;
  return count > 0 ? sum / count : 0;
}

// Of the nodes whose predecessors are in the order, the one of largest mean tail; then by NodeId.
std::vector<NodeId> order_by_tail(const Problem& problem, const PathTimes& tails) {
  const Graph& graph = problem.graph();
  using Entry = std::pair<double, NodeId>;
  const auto later = [](const Entry& a, const Entry& b) {
    return a.first != b.first ? a.first < b.first : a.second > b.second;
  };
  std::priority_queue<Entry, std::vector<Entry>, decltype(later)> ready(later);
  IdVector<NodeId, std::size_t> missing(graph.node_count());
  for (const NodeId node : graph.nodes()) {
    missing[node] = graph.predecessors(node).size();
    if (missing[node] == 0) ready.emplace(mean_tail(problem, tails, node), node);
  }
  std::vector<NodeId> order;
  while (!ready.empty()) {
    order.push_back(ready.top().second);
    ready.pop();
    for (const NodeId next : graph.successors(order.back()))
      if (--missing[next] == 0) ready.emplace(mean_tail(problem, tails, next), next);
  }
  return order;
}

}  // namespace

void peft(const Context& context, const NoOptions&) {
  const Coarsening units = contract_units(context.problem);
  const PathTimes tails = tail_times(units.problem);
  context.incumbent.take(
      expand(units, place_in_order(units.problem, order_by_tail(units.problem, tails), true,
                                   context.budget, &tails)));
}

}  // namespace berth
