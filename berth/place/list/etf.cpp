#include "berth/place/list/etf.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <queue>
#include <tuple>
#include <vector>

#include "berth/graph/order.h"
#include "berth/place/list/list_schedule.h"
#include "berth/search/unit_assignment.h"
#include "berth/transform/contract.h"
#include "berth/transform/ranks.h"

namespace berth {
namespace {

// The ready nodes as one device sees them.
class Queue {
 public:
  struct Entry {
    Duration ready;
    std::uint32_t rank;  // position by (falling upward rank, NodeId): smaller is more urgent
    NodeId node;
  };

  void push(Entry entry) { waiting_.push(entry); }

  // The pair of least (start, rank) on this device, once `gone` entries are thrown away.
  template <class Gone>
  std::optional<Entry> best(Duration free, Gone gone) {
    while (!waiting_.empty() && waiting_.top().ready <= free) {
      startable_.push(waiting_.top());
      waiting_.pop();
    }
    while (!startable_.empty() && gone(startable_.top().node)) startable_.pop();
    if (!startable_.empty()) return startable_.top();
    while (!waiting_.empty() && gone(waiting_.top().node)) waiting_.pop();
    if (!waiting_.empty()) return waiting_.top();
    return std::nullopt;
  }

 private:
  struct LaterRank {
    bool operator()(const Entry& a, const Entry& b) const { return a.rank > b.rank; }
  };
  struct LaterReady {
    bool operator()(const Entry& a, const Entry& b) const {
      return std::tie(a.ready, a.rank) > std::tie(b.ready, b.rank);
    }
  };
  std::priority_queue<Entry, std::vector<Entry>, LaterRank> startable_;
  std::priority_queue<Entry, std::vector<Entry>, LaterReady> waiting_;
};

// Positions by falling upward rank, ties by NodeId.
IdVector<NodeId, std::uint32_t> rank_positions(const Problem& problem) {
  const IdVector<NodeId, Duration> ranks = upward_ranks(problem);
  std::vector<NodeId> order(ranks.ids().begin(), ranks.ids().end());
  std::stable_sort(order.begin(), order.end(),
                   [&](NodeId a, NodeId b) { return ranks[a] > ranks[b]; });
  return positions(order);
}

Outcome schedule_earliest_first(const Problem& problem, const Budget& budget) {
  const Graph& graph = problem.graph();
  const IdVector<NodeId, std::uint32_t> rank = rank_positions(problem);
  UnitAssignment units(problem);
  ListSchedule schedule(problem);
  IdVector<DeviceId, Queue> queues(problem.device_count());
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
      const auto entry = queues[device].best(free[device], [&](NodeId node) {
        return placed[node] != 0 || !units.may_take(problem.unit_of(node), device);
      });
      if (!entry) continue;
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
