#include "berth/sim/crossings.h"

#include <algorithm>

namespace berth {

Duration crossing_time(const Problem& problem, TensorId tensor, DeviceId from, DeviceId to) {
  if (from == to) return Duration{0};
  if (problem.model().through_host())
    return problem.write_to_host(tensor, from) + problem.read_from_host(tensor, to);
  return problem.transfer(tensor, from, to);
}

std::vector<Crossing> crossings(const Problem& problem, const Placement& placement) {
  const Graph& graph = problem.graph();
  std::vector<Crossing> result;
  IdVector<DeviceId, std::size_t> uses(problem.device_count(), 0);
  for (const TensorId tensor : graph.tensors()) {
    const DeviceId from = placement.device_of[graph.producer(tensor)];
    for (const NodeId consumer : graph.consumers(tensor)) ++uses[placement.device_of[consumer]];
    for (const DeviceId to : uses.ids()) {
      if (to != from && uses[to] > 0)
        result.push_back({.tensor = tensor,
                          .from = from,
                          .to = to,
                          .time = crossing_time(problem, tensor, from, to),
                          .size = graph.tensor(tensor).size,
                          .uses = uses[to]});
      uses[to] = 0;
    }
  }
  std::ranges::stable_sort(result, std::greater{}, &Crossing::time);
  return result;
}

}  // namespace berth
