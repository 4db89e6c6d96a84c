#include "berth/search/path_times.h"

#include <algorithm>
#include <ranges>

#include "berth/sim/crossings.h"

namespace berth {
namespace {

// The least over the devices of `other` of its time there, with the way between it and the device.
template <class Crossing>
double least_beyond(const Problem& problem, const PathTimes& times, NodeId node, NodeId other,
                    DeviceId device, Crossing&& crossing) {
  double least = times.at(other, device);
  if (problem.unit_of(node) == problem.unit_of(other)) return least;
  for (const DeviceId there : problem.devices())
    if (const double beyond = times.at(other, there); beyond < least)
      least = std::min(least, beyond + crossing(there).count());
  return least;
}

}  // namespace

PathTimes head_times(const Problem& problem) {
  const Graph& graph = problem.graph();
  PathTimes head(problem);
  for (const NodeId node : graph.topological_order())
    for (const DeviceId device : problem.devices()) {
      if (!problem.allows(node, device)) continue;
      double start = 0;
      for (const TensorId tensor : graph.inputs(node))
        start = std::max(start, least_beyond(problem, head, node, graph.producer(tensor), device,
                                             [&](DeviceId from) {
                                               return crossing_time(problem, tensor, from, device);
                                             }));
      head.at(node, device) = start + problem.time(node, device).count();
    }
  return head;
}

PathTimes tail_times(const Problem& problem) {
  const Graph& graph = problem.graph();
  PathTimes tail(problem);
  for (const NodeId node : std::views::reverse(graph.topological_order()))
    for (const DeviceId device : problem.devices()) {
      if (!problem.allows(node, device)) continue;
      double rest = 0;
      for (const TensorId tensor : graph.outputs(node))
        for (const NodeId next : graph.consumers(tensor))
          rest = std::max(rest, least_beyond(problem, tail, node, next, device, [&](DeviceId to) {
                            return crossing_time(problem, tensor, device, to);
                          }));
      tail.at(node, device) = problem.time(node, device).count() + rest;
    }
  return tail;
}

double longest_path(const Problem& problem) {
  const PathTimes head = head_times(problem), tail = tail_times(problem);
  double longest = 0;
  for (const NodeId node : problem.graph().nodes()) {
    double least = kForever.count();
    for (const DeviceId device : problem.devices())
      if (problem.allows(node, device))
        least = std::min(least, head.at(node, device) + tail.at(node, device) -
                                    problem.time(node, device).count());
    longest = std::max(longest, least);
  }
  return longest;
}

}  // namespace berth
