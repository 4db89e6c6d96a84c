#include "berth/sim/sequential.h"

#include <algorithm>
#include <vector>

#include "berth/sim/pieces.h"

namespace berth {

Schedule sequential_schedule(const Problem& problem, std::span<const DeviceId> device_of) {
  const Graph& graph = problem.graph();
  const Pieces subgraphs = cut_into_pieces(problem, device_of, PieceKind::kSubgraphs);
  const std::span<const NodeId> topological = graph.topological_order();
  std::vector<NodeId> order(topological.begin(), topological.end());
  std::stable_sort(order.begin(), order.end(), [&](NodeId a, NodeId b) {
    return subgraphs.piece_of[a] < subgraphs.piece_of[b];
  });

  Schedule schedule;
  Duration now{0};
  std::vector<bool> there(graph.tensor_count() * problem.device_count(), false);
  for (std::size_t begin = 0; begin < order.size();) {
    const std::uint32_t subgraph = subgraphs.piece_of[order[begin]];
    const DeviceId device = subgraphs.device[subgraph];
    if (subgraph > 0) now += problem.as<Sequential>()->subgraph_overhead;
    std::size_t end = begin;
    while (end < order.size() && subgraphs.piece_of[order[end]] == subgraph) ++end;
    for (std::size_t i = begin; i < end; ++i)
      for (const TensorId tensor : graph.inputs(order[i])) {
        const DeviceId from = device_of[index(graph.producer(tensor))];
        const std::size_t slot = index(tensor) * problem.device_count() + index(device);
        if (from == device || there[slot]) continue;
        there[slot] = true;
        const Duration start = now;
        now += problem.transfer(tensor, from, device);
        schedule.moves.push_back({tensor, from, device, start, now});
      }
    for (std::size_t i = begin; i < end; ++i) {
      const Duration start = now;
      now += problem.time(order[i], device);
      schedule.runs.push_back({order[i], device, start, now});
    }
    begin = end;
  }
  schedule.makespan = now;
  // Nodes without time may share their start with the next subgraph, on another device.
  std::stable_sort(schedule.runs.begin(), schedule.runs.end(), [](const Run& a, const Run& b) {
    return std::pair(a.start, a.device) < std::pair(b.start, b.device);
  });
  return schedule;
}

}  // namespace berth
