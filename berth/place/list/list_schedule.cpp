#include "berth/place/list/list_schedule.h"

#include <algorithm>
#include <tuple>

#include "berth/place/list/timeline.h"
#include "berth/search/unit_assignment.h"
#include "berth/transform/ranks.h"

namespace berth {

ListSchedule::ListSchedule(const Problem& problem)
    : problem_(problem),
      device_of_(problem.node_count()),
      start_(problem.node_count()),
      finish_(problem.node_count()) {}

Duration ListSchedule::ready(NodeId node, DeviceId device) const {
  const Graph& graph = problem_.graph();
  Duration latest{0};
  for (const TensorId tensor : graph.inputs(node)) {
    const NodeId producer = graph.producer(tensor);
    latest = std::max(latest,
                      finish_[producer] + problem_.transfer(tensor, device_of_[producer], device));
  }
  return latest;
}

void ListSchedule::run(NodeId node, DeviceId device, Duration start) {
  device_of_[node] = device;
  start_[node] = start;
  finish_[node] = start + problem_.time(node, device);
}

Placement ListSchedule::placement() const {
  const std::span<const NodeId> topological = problem_.graph().topological_order();
  Placement result{device_of_, {topological.begin(), topological.end()}};
  std::ranges::stable_sort(result.order, {},
                           [&](NodeId node) { return std::pair(start_[node], finish_[node]); });
  return result;
}

namespace {

struct Choice {
  DeviceId device;
  Duration start, finish;
  Timeline::Slot slot;
};

// The device of least finish among those that take the node.
std::optional<Choice> earliest_finish(const Problem& problem, const ListSchedule& schedule,
                                      const UnitAssignment& units,
                                      const IdVector<DeviceId, Timeline>& idle, bool insertion,
                                      const IdVector<DeviceId, Duration>& free, NodeId node) {
  std::optional<Choice> best;
  for (const DeviceId device : problem.devices()) {
    if (!units.may_take(problem.unit_of(node), device)) continue;
    const Duration ready = schedule.ready(node, device);
    const Duration time = problem.time(node, device);
    Choice choice{device, std::max(ready, free[device]), {}, {}};
    if (insertion) {
      choice.slot = idle[device].find(ready, time);
      choice.start = choice.slot.start;
    }
    choice.finish = choice.start + time;
    if (!best || clearly_less(choice.finish, best->finish)) best = choice;
  }
  return best;
}

}  // namespace

Outcome place_by_rank(const Problem& problem, bool insertion, const Budget& budget) {
  UnitAssignment units(problem);
  ListSchedule schedule(problem);
  IdVector<DeviceId, Timeline> idle(problem.device_count());
  IdVector<DeviceId, Duration> free(problem.device_count());
  for (const NodeId node : priority_order(problem)) {
    if (budget.stopped()) return stopped_outcome();
    const std::optional<Choice> best =
        earliest_finish(problem, schedule, units, idle, insertion, free, node);
    if (!best) return {.reason = units.refusal(node)};
    units.take(problem.unit_of(node), best->device);
    schedule.run(node, best->device, best->start);
    if (insertion) idle[best->device].occupy(best->slot, problem.time(node, best->device));
    free[best->device] = std::max(free[best->device], best->finish);
  }
  return {.placement = schedule.placement()};
}

Outcome expand(const Coarsening& coarsening, Outcome coarse) {
  if (coarse.placement) coarse.placement = expand(coarsening, *coarse.placement);
  return coarse;
}

Outcome stopped_outcome() { return {.reason = "stopped before every node had a device"}; }

}  // namespace berth
