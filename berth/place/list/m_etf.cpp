#include "berth/place/list/m_etf.h"

#include <algorithm>

#include "berth/graph/order.h"
#include "berth/place/list/memory_schedule.h"
#include "berth/place/list/ready_queue.h"
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
      queue_.push({machine_.ready(node, device_), position_[node], node});
  }
  // Outputs were given up: what had no room may have it now.
  void unblock() {
    for (const NodeId node : blocked_)
      if (!machine_.is_placed(node)) push(node);
    blocked_.clear();
  }

  // What starts first, the most urgent of equals; its `ready` is then its start.
  std::optional<ReadyQueue::Entry> best() {
    const Duration free = machine_.free(device_);
    while (const ReadyQueue::Entry* top = queue_.top(free)) {
      const ReadyQueue::Entry entry = *top;
      if (machine_.is_placed(entry.node) || !machine_.may_ever_fit(entry.node, device_)) {
        queue_.pop();
        continue;
      }
      const Duration ready = machine_.ready(entry.node, device_);
      const bool later = ready > std::max(entry.ready, free);
      if (!later && machine_.fits(entry.node, device_))
        return ReadyQueue::Entry{std::max(ready, free), entry.rank, entry.node};
      queue_.pop();
      if (later)
        queue_.push({ready, entry.rank, entry.node});
      else
        blocked_.push_back(entry.node);
    }
    return std::nullopt;
  }

 private:
  const MemorySchedule& machine_;
  const IdVector<NodeId, std::uint32_t>& position_;
  DeviceId device_;
  ReadyQueue queue_;
  std::vector<NodeId> blocked_;
};

Outcome schedule_with_memory(const Problem& problem, bool reserve, const Budget& budget) {
  const Graph& graph = problem.graph();
  const std::span<const NodeId> topological = graph.topological_order();
  const auto position = positions({topological.begin(), topological.end()});
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
        const std::tuple pair{best->ready, best->rank,
                              best->ready + problem.time(best->node, device), device, best->node};
        if (!least || pair < *least) least = pair;
      }
    if (!least) {
      const auto stuck =
          std::ranges::find_if(topological, [&](NodeId node) { return !machine.is_placed(node); });
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
