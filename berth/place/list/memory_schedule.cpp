#include "berth/place/list/memory_schedule.h"

#include <fmt/format.h>

namespace berth {

MemorySchedule::MemorySchedule(const Problem& problem, bool reserve)
    : problem_(problem),
      reserve_(reserve),
      schedule_(problem),
      units_(problem),
      placed_(problem.node_count()),
      missing_(problem.node_count()),
      uses_left_(problem.graph().tensor_count()),
      free_(problem.device_count()),
      channel_(problem.device_count()),
      arrival_(problem.graph().tensor_count() * problem.device_count(), kForever),
      held_(problem.device_count()) {
  const Graph& graph = problem.graph();
  for (const NodeId node : graph.nodes())
    missing_[node] = static_cast<std::uint32_t>(graph.predecessors(node).size());
  for (const TensorId tensor : graph.tensors())
    uses_left_[tensor] = static_cast<std::uint32_t>(graph.consumers(tensor).size());
}

Duration MemorySchedule::arrived(TensorId tensor, DeviceId device) const {
  return arrival_[index(tensor) * problem_.device_count() + index(device)];
}

std::vector<MemorySchedule::Sending> MemorySchedule::sendings(NodeId node, DeviceId device) const {
  const Graph& graph = problem_.graph();
  std::vector<Sending> result;
  for (const TensorId tensor : graph.inputs(node))
    if (arrived(tensor, device) == kForever) {
      const NodeId producer = graph.producer(tensor);
      result.push_back({tensor, schedule_.device_of(producer), schedule_.finish(producer), {}, {}});
    }
  std::ranges::stable_sort(result, {}, &Sending::made);
  // A sender's channel is moved on by what the same sender has sent before in this list.
  Duration receiver = channel_[device];
  for (std::size_t i = 0; i < result.size(); ++i) {
    Sending& sending = result[i];
    Duration sender = channel_[sending.from];
    for (std::size_t before = i; before-- > 0;)
      if (result[before].from == sending.from) {
        sender = result[before].send_start +
                 problem_.transfer(result[before].tensor, sending.from, device);
        break;
      }
    const Duration time = problem_.transfer(sending.tensor, sending.from, device);
    sending.send_start = std::max(sending.made, sender);
    sending.arrival = std::max(sending.send_start, receiver) + time;
    receiver = sending.arrival;
  }
  return result;
}

Duration MemorySchedule::ready(NodeId node, DeviceId device) const {
  assert(is_ready(node));
  Duration latest{0};
  bool all_there = true;
  for (const TensorId tensor : problem_.graph().inputs(node)) {
    const Duration arrival = arrived(tensor, device);
    if (arrival == kForever)
      all_there = false;
    else
      latest = std::max(latest, arrival);
  }
  if (all_there) return latest;
  for (const Sending& sending : sendings(node, device)) latest = std::max(latest, sending.arrival);
  return latest;
}

Bytes MemorySchedule::output_bytes(NodeId node) const {
  Bytes sum{0};
  for (const TensorId tensor : problem_.graph().outputs(node))
    if (!problem_.graph().is_weight(tensor)) sum += problem_.graph().tensor(tensor).size;
  return sum;
}

Bytes MemorySchedule::bytes_to_come(NodeId node) const {
  const UnitId unit = problem_.unit_of(node);
  if (!reserve_ || units_.device_of(unit)) return output_bytes(node);
  Bytes largest{0};
  for (const NodeId member : problem_.members(unit))
    largest = std::max(largest, output_bytes(member));
  return largest;
}

bool MemorySchedule::fits(NodeId node, DeviceId device) const {
  const UnitId unit = problem_.unit_of(node);
  if (!units_.may_take(unit, device)) return false;
  const std::optional<Bytes>& limit = problem_.cluster().device(device).memory;
  return !limit || units_.need(unit, device) + held_[device] + bytes_to_come(node) <= *limit;
}

MemorySchedule::Changes MemorySchedule::run(NodeId node, DeviceId device) {
  assert(is_ready(node) && !is_placed(node) && fits(node, device));
  const Graph& graph = problem_.graph();
  Changes changes;
  const Duration start = est(node, device);
  for (const Sending& sending : sendings(node, device)) {
    arrival_[index(sending.tensor) * problem_.device_count() + index(device)] = sending.arrival;
    channel_[sending.from] =
        sending.send_start + problem_.transfer(sending.tensor, sending.from, device);
    channel_[device] = sending.arrival;
    changes.received.push_back(sending.tensor);
  }
  units_.take(problem_.unit_of(node), device);
  schedule_.run(node, device, start);
  placed_[node] = 1;
  free_[device] = schedule_.finish(node);
  held_[device] += output_bytes(node);
  for (const TensorId tensor : graph.outputs(node))
    arrival_[index(tensor) * problem_.device_count() + index(device)] = schedule_.finish(node);
  for (const TensorId tensor : graph.inputs(node))
    if (--uses_left_[tensor] == 0 && !graph.is_weight(tensor)) {
      const DeviceId holder = schedule_.device_of(graph.producer(tensor));
      held_[holder] -= graph.tensor(tensor).size;
      changes.relieved.push_back(holder);
    }
  for (const NodeId next : graph.successors(node))
    if (--missing_[next] == 0) changes.ready.push_back(next);
  return changes;
}

std::string MemorySchedule::refusal(NodeId node) const {
  const UnitId unit = problem_.unit_of(node);
  for (const DeviceId device : problem_.devices())
    if (units_.may_take(unit, device))
      return fmt::format(
          "no device has room for the outputs of node {}: {} would need {} bytes and has {}",
          problem_.graph().node(node).name, problem_.cluster().device(device).name,
          (units_.need(unit, device) + held_[device] + bytes_to_come(node)).count,
          problem_.cluster().device(device).memory->count);
  return units_.refusal(node);
}

}  // namespace berth
