#include "berth/place/list/etf.h"

#include <algorithm>

#include "berth/graph/order.h"
#include "berth/place/list/list_schedule.h"
#include "berth/place/list/ready_queue.h"
#include "berth/search/unit_assignment.h"
#include "berth/transform/contract.h"
#include "berth/transform/ranks.h"

namespace berth {
namespace {

// Positions by falling upward rank, ties by NodeId.
IdVector<NodeId, std::uint32_t> rank_positions(const Problem& problem) {
  const IdVector<NodeId, Duration> ranks = upward_ranks(problem);
  std::vector<NodeId> order(ranks.ids().begin(), ranks.ids().end());
  std::ranges::stable_sort(order, std::greater{}, [&](NodeId node) { return ranks[node]; });
  return positions(order);
}

Outcome schedule_earliest_first(const Problem& problem, const Budget& budget) {
  const Graph& graph = problem.graph();
  const IdVector<NodeId, std::uint32_t> rank = rank_positions(problem);
  UnitAssignment units(problem);
  ListSchedule schedule(problem);
  IdVector<DeviceId, ReadyQueue> queues(problem.device_count());
  IdVector<DeviceId, Duration> free(problem.device_count());
  IdVector<NodeId, std::uint32_t> missing(graph.node_count());
  IdVector<NodeId, std::uint8_t> placed(graph.node_count());
  const auto announce = [&](NodeId node) {
    for (const DeviceId device : problem.devices())
      if (units.may_take(problem.unit_of(node), device))
        queues[device].push({schedule.ready(node, device), rank[node], node});
  };
  for (const NodeId node : graph.nodes()) {
    missing[node] = static_cast<std::uint32_t>(graph.predecessors(node).size());
    if (missing[node] == 0) announce(node);
  }

  for (std::size_t count = 0; count < graph.node_count(); ++count) {
    if (budget.stopped()) return stopped_outcome();
    struct Pair {
      Duration start;
      std::uint32_t rank;
      Duration finish;
      DeviceId device;
      NodeId node;
    };
    std::optional<Pair> least;
    for (const DeviceId device : problem.devices()) {
      // A device that has no room for a node never gets it: it only fills up.
      const ReadyQueue::Entry* entry = queues[device].top(free[device]);
      for (; entry != nullptr; entry = queues[device].top(free[device])) {
        if (placed[entry->node] == 0 && units.may_take(problem.unit_of(entry->node), device)) break;
        queues[device].pop();
      }
      if (entry == nullptr) continue;
      const Duration start = std::max(free[device], entry->ready);
      const Pair pair{start, entry->rank, start + problem.time(entry->node, device), device,
                      entry->node};
      if (!least || std::tie(pair.start, pair.rank, pair.finish) <
                        std::tie(least->start, least->rank, least->finish))
        least = pair;
    }
    if (!least) {
      for (const NodeId node : graph.topological_order())
        if (placed[node] == 0) return {.reason = units.refusal(node)};
    }
    placed[least->node] = 1;
    units.take(problem.unit_of(least->node), least->device);
    schedule.run(least->node, least->device, least->start);
    free[least->device] = least->finish;
    for (const NodeId next : graph.successors(least->node))
      if (--missing[next] == 0) announce(next);
  }
  return {.placement = schedule.placement()};
}

}  // namespace

void etf(const Context& context, const NoOptions&) {
  const Coarsening units = contract_units(context.problem);
  context.incumbent.take(expand(units, schedule_earliest_first(units.problem, context.budget)));
}

}  // namespace berth
