#include "berth/place/list/m_etf.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <queue>
#include <span>
#include <tuple>
#include <vector>

#include "berth/graph/order.h"
#include "berth/place/list/list_schedule.h"
#include "berth/place/list/memory_schedule.h"
#include "berth/transform/contract.h"

namespace berth {
namespace {

// The ready nodes as one device sees them. Times in entries may be out of date: too early when
// channels have filled up since; never too late, as a tensor's arrival is announced by a new entry.
class Queue {
 public:
  Queue(const MemorySchedule& machine, const IdVector<NodeId, std::uint32_t>& position,
        DeviceId device)
      : machine_(machine), position_(position), device_(device) {}

  void push(NodeId node) {
    if (machine_.may_ever_fit(node, device_))
      waiting_.push({machine_.ready(node, device_), position_[node], node});
  }
  // Outputs were given up: what had no room may have it now.
  void unblock() {
    for (const NodeId node : blocked_)
      if (!machine_.is_placed(node)) push(node);
    blocked_.clear();
  }

  struct Best {
    Duration start;
    std::uint32_t position;
    NodeId node;
  };
  std::optional<Best> best() {
    const Duration free = machine_.free(device_);
    for (;;) {
      while (!waiting_.empty() && waiting_.top().ready <= free) {
        startable_.push(waiting_.top());
        waiting_.pop();
      }
      if (startable_.empty() && waiting_.empty()) return std::nullopt;
      const bool now = !startable_.empty();
      const Entry entry = now ? startable_.top() : waiting_.top();
      const auto drop = [&] { now ? startable_.pop() : waiting_.pop(); };
      if (machine_.is_placed(entry.node) || !machine_.may_ever_fit(entry.node, device_)) {
        drop();
        continue;
      }
      const Duration ready = machine_.ready(entry.node, device_);
      if (ready > std::max(entry.ready, free)) {
        drop();
        waiting_.push({ready, entry.position, entry.node});
      } else if (!machine_.fits(entry.node, device_)) {
        drop();
        blocked_.push_back(entry.node);
      } else {
        return Best{std::max(ready, free), entry.position, entry.node};
      }
    }
  }

 private:
  struct Entry {
    Duration ready;
    std::uint32_t position;
    NodeId node;
  };
  struct LaterPosition {
    bool operator()(const Entry& a, const Entry& b) const { return a.position > b.position; }
  };
  struct LaterReady {
    bool operator()(const Entry& a, const Entry& b) const {
      return std::tie(a.ready, a.position) > std::tie(b.ready, b.position);
    }
  };

  const MemorySchedule& machine_;
  const IdVector<NodeId, std::uint32_t>& position_;
  DeviceId device_;
  std::priority_queue<Entry, std::vector<Entry>, LaterPosition> startable_;
  std::priority_queue<Entry, std::vector<Entry>, LaterReady> waiting_;
  std::vector<NodeId> blocked_;
};

Outcome schedule_with_memory(const Problem& problem, bool reserve, const Budget& budget) {
  const Graph& graph = problem.graph();
  const std::span<const NodeId> topological = graph.topological_order();
  const IdVector<NodeId, std::uint32_t> position =
      positions(std::vector<NodeId>(topological.begin(), topological.end()));
  MemorySchedule machine(problem, reserve);
  std::vector<Queue> queues;
  for (const DeviceId device : problem.devices()) queues.emplace_back(machine, position, device);
  for (const NodeId node : topological)
    if (machine.is_ready(node))
      for (Queue& queue : queues) queue.push(node);

  for (std::size_t count = 0; count < graph.node_count(); ++count) {
    if (budget.stopped()) return stopped_outcome();
    std::optional<std::tuple<Duration, std::uint32_t, Duration, DeviceId, NodeId>> least;
    for (const DeviceId device : problem.devices())
      if (const auto best = queues[index(device)].best()) {
        const std::tuple pair{best->start, best->position,
                              best->start + problem.time(best->node, device), device, best->node};
        if (!least || pair < *least) least = pair;
      }
    if (!least) {
      const auto stuck = std::find_if(topological.begin(), topological.end(),
                                      [&](NodeId node) { return !machine.is_placed(node); });
      return {.reason = machine.refusal(*stuck)};
    }
    const DeviceId device = std::get<DeviceId>(*least);
    const MemorySchedule::Changes changes = machine.run(std::get<NodeId>(*least), device);
    for (const NodeId node : changes.ready)
      for (Queue& queue : queues) queue.push(node);
    for (const TensorId tensor : changes.received)
      for (const NodeId consumer : graph.consumers(tensor))
        if (machine.is_ready(consumer) && !machine.is_placed(consumer))
          queues[index(device)].push(consumer);
    for (const DeviceId relieved : changes.relieved) queues[index(relieved)].unblock();
  }
  return {.placement = machine.placement()};
}

}  // namespace

void m_etf(const Context& context, const MEtfOptions& options) {
  const Coarsening units = contract_units(context.problem);
  const Coarsening groups = contract_sole_consumers(units.problem);
  context.incumbent.take(expand(
      units,
      expand(groups, schedule_with_memory(groups.problem, options.reserve, context.budget))));
}

}  // namespace berth
