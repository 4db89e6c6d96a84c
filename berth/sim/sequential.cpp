#include "berth/sim/sequential.h"

#include "berth/sim/pieces.h"

namespace berth {

Schedule sequential_schedule(const Problem& problem, std::span<const DeviceId> device_of) {
  const Graph& graph = problem.graph();
  const Pieces subgraphs = subgraph_pieces(graph, device_of);
  const PieceMembers members(graph, subgraphs);
  Schedule schedule;
  Duration now{0};
  const auto spend = [&](Duration time) { return std::exchange(now, now + time); };
  std::vector<bool> there(graph.tensor_count() * problem.device_count(), false);
  for (std::uint32_t subgraph = 0; subgraph < subgraphs.count(); ++subgraph) {
    const DeviceId device = subgraphs.device[subgraph];
    if (subgraph > 0) now += problem.get<Sequential>().subgraph_overhead;
    for (const NodeId node : members.of(subgraph))
      for (const TensorId tensor : graph.inputs(node)) {
        const DeviceId from = device_of[index(graph.producer(tensor))];
        const std::size_t slot = index(tensor) * problem.device_count() + index(device);
        if (from == device || there[slot]) continue;
        there[slot] = true;
        const Duration start = spend(problem.transfer(tensor, from, device));
        schedule.moves.push_back({tensor, from, device, start, now});
      }
    for (const NodeId node : members.of(subgraph)) {
      const Duration start = spend(problem.time(node, device));
      schedule.runs.push_back({node, device, start, now});
    }
  }
  schedule.makespan = now;
  sort_by_start(schedule);  // nodes without time may share their start with the next subgraph
  return schedule;
}

}  // namespace berth
