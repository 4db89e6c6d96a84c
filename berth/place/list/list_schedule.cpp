#include "berth/place/list/list_schedule.h"

#include <algorithm>
#include <tuple>

#include "berth/place/list/timeline.h"
#include "berth/search/unit_assignment.h"

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

// The idle time of every device; without insertion only the time after its last run counts.
class IdleTime {
 public:
  IdleTime(const Problem& problem, bool insertion)
      : insertion_(insertion), gaps_(problem.device_count()), free_(problem.device_count()) {}

  Timeline::Slot find(DeviceId device, Duration ready, Duration length) const {
    if (insertion_) return gaps_[device].find(ready, length);
    return {.start = std::max(ready, free_[device])};
  }
  void occupy(DeviceId device, const Timeline::Slot& slot, Duration length) {
    if (insertion_) gaps_[device].occupy(slot, length);
    free_[device] = std::max(free_[device], slot.start + length);
  }

 private:
  bool insertion_;
  IdVector<DeviceId, Timeline> gaps_;
  IdVector<DeviceId, Duration> free_;
};

struct Choice {
  DeviceId device;
  Timeline::Slot slot;
  Duration end;  // start + ahead
};

}  // namespace

Outcome place_in_order(const Problem& problem, std::span<const NodeId> order, bool insertion,
                       const Budget& budget, const PathTimes* tails) {
  UnitAssignment units(problem);
  ListSchedule schedule(problem);
  IdleTime idle(problem, insertion);
  const auto least_end = [&](NodeId node) {
    std::optional<Choice> best;
    for (const DeviceId device : problem.devices()) {
      if (!units.may_take(problem.unit_of(node), device)) continue;
      const Duration time = problem.time(node, device);
      const Timeline::Slot slot = idle.find(device, schedule.ready(node, device), time);
      const Duration ahead = tails != nullptr ? Duration{tails->at(node, device)} : time;
      if (!best || clearly_less(slot.start + ahead, best->end))
        best = Choice{device, slot, slot.start + ahead};
    }
    return best;
  };
  for (const NodeId node : order) {
    if (budget.stopped()) return stopped_outcome();
    const std::optional<Choice> best = least_end(node);
    if (!best) return {.reason = units.refusal(node)};
    units.take(problem.unit_of(node), best->device);
    schedule.run(node, best->device, best->slot.start);
    idle.occupy(best->device, best->slot, problem.time(node, best->device));
  }
  return {.placement = schedule.placement()};
}

Outcome expand(const Coarsening& coarsening, Outcome coarse) {
  if (coarse.placement) coarse.placement = expand(coarsening, *coarse.placement);
  return coarse;
}

Outcome stopped_outcome() { return {.reason = "stopped before every node had a device"}; }

}  // namespace berth
