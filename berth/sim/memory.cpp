#include "berth/sim/memory.h"

#include "berth/sim/held_weights.h"

namespace berth {
namespace {

using Part = Bytes MemoryUse::*;

struct Change {
  Duration time;
  Bytes bytes;
  DeviceId device;
  Part part;
};

// Every interval of the header as a pair of changes.
std::vector<Change> lifetimes(const Problem& problem, const Placement& placement,
                              const Schedule& schedule) {
  const Graph& graph = problem.graph();
  IdVector<NodeId, Duration> start(problem.node_count(), Duration{0});
  IdVector<NodeId, Duration> finish(problem.node_count(), Duration{0});
  std::vector<Change> changes;
  const auto live = [&](DeviceId device, Part part, Bytes bytes, Duration from, Duration to) {
    if (bytes == Bytes{0} || !(from < to)) return;
    changes.push_back({from, bytes, device, part});
    changes.push_back({to, Bytes{0} - bytes, device, part});
  };
  for (const Run& run : schedule.runs) {
    start[run.node] = run.start;
    finish[run.node] = run.finish;
    live(run.device, &MemoryUse::workspace, graph.node(run.node).workspace, run.start, run.finish);
  }
  // When the last use on the device is over, if that is later.
  const auto last_use = [&](TensorId tensor, DeviceId device, Duration end) {
    const bool sum = graph.tensor(tensor).role == TensorRole::kGradientSum;
    for (const NodeId consumer : graph.consumers(tensor))
      if (placement.device_of[consumer] == device)
        end = std::max(end,
                       sum && graph.adds_in_place(consumer) ? start[consumer] : finish[consumer]);
    return end;
  };
  IdVector<TensorId, Duration> last_sent(graph.tensor_count(), Duration{0});
  for (const Move& move : schedule.moves) {
    last_sent[move.tensor] = std::max(last_sent[move.tensor], move.finish);
    if (graph.is_weight(move.tensor)) continue;
    live(move.to, &MemoryUse::buffers, graph.tensor(move.tensor).size, move.start,
         last_use(move.tensor, move.to, move.finish));
  }
  for (const TensorId tensor : graph.tensors()) {
    if (graph.is_weight(tensor)) continue;
    const NodeId producer = graph.producer(tensor);
    const DeviceId device = placement.device_of[producer];
    Duration end = last_use(tensor, device, std::max(finish[producer], last_sent[tensor]));
    if (graph.consumers(tensor).empty()) end = schedule.makespan;
    live(device, &MemoryUse::activations, graph.tensor(tensor).size, start[producer], end);
  }
  // Half-open intervals: at one instant what ends goes before what starts.
  std::ranges::sort(changes, {},
                    [](const Change& change) { return std::pair(change.time, change.bytes); });
  return changes;
}

// What further samples in flight hold; see the header.
IdVector<DeviceId, Bytes> pipeline_extra(const Problem& problem, const Placement& placement) {
  const Graph& graph = problem.graph();
  const std::size_t devices = problem.device_count();
  IdVector<DeviceId, Bytes> extra(devices);
  std::vector<bool> seen(devices);
  for (const TensorId tensor : graph.tensors()) {
    if (graph.is_weight(tensor)) continue;
    const NodeId producer = graph.producer(tensor);
    const bool forward = graph.node(producer).pass == Pass::kForward;
    std::fill(seen.begin(), seen.end(), false);
    for (const NodeId consumer : graph.consumers(tensor)) {
      const DeviceId device = placement.device_of[consumer];
      if (seen[index(device)]) continue;
      const bool counts = problem.is_training()
                              ? forward && graph.node(consumer).pass == Pass::kBackward
                              : device != placement.device_of[producer];
      if (!counts) continue;
      seen[index(device)] = true;
      extra[device] += graph.tensor(tensor).size;
    }
  }
  if (!problem.is_training()) return extra;

  const bool gpipe = problem.model().halves_apart();
  std::vector<DeviceId> stages;  // used devices by their first forward node, then the others
  std::fill(seen.begin(), seen.end(), false);
  for (const Pass pass : {Pass::kForward, Pass::kBackward})
    for (const NodeId node : graph.topological_order()) {
      const DeviceId device = placement.device_of[node];
      if (graph.node(node).pass != pass || seen[index(device)]) continue;
      seen[index(device)] = true;
      stages.push_back(device);
    }
  for (std::size_t rank = 0; rank < stages.size(); ++rank) {
    const std::int64_t in_flight = gpipe ? problem.get<MaxLoad>().microbatches
                                         : static_cast<std::int64_t>(stages.size() - rank);
    extra[stages[rank]] = Bytes{extra[stages[rank]].count * (in_flight - 1)};
  }
  return extra;
}

}  // namespace

IdVector<DeviceId, MemoryUse> peak_memory(const Problem& problem, const Placement& placement,
                                          const Schedule& schedule) {
  const Graph& graph = problem.graph();
  const bool through_host = problem.model().through_host();
  IdVector<DeviceId, MemoryUse> now(problem.device_count());
  NodeWeights weights(graph, problem.device_count());
  const std::span<const std::int64_t> held = weights.held(placement.device_of.items());
  for (const DeviceId device : problem.devices()) now[device].weights = Bytes{held[index(device)]};
  if (through_host) {
    for (const NodeId node : graph.nodes()) {
      MemoryUse& use = now[placement.device_of[node]];
      use.workspace = std::max(use.workspace, graph.node(node).workspace);
    }
    return now;
  }

  IdVector<DeviceId, MemoryUse> peak = now;
  for (const Change& change : lifetimes(problem, placement, schedule)) {
    MemoryUse& use = now[change.device];
    use.*change.part += change.bytes;
    use.moment = change.time;
    if (use.peak() > peak[change.device].peak()) peak[change.device] = use;
  }
  if (problem.model().keeps_samples_in_flight()) {
    const IdVector<DeviceId, Bytes> extra = pipeline_extra(problem, placement);
    for (const DeviceId device : problem.devices()) peak[device].buffers += extra[device];
  }
  return peak;
}

double memory_overflow(const Cluster& cluster, const IdVector<DeviceId, MemoryUse>& use) {
  double overflow = 0;
  for (const DeviceId device : cluster.devices())
    overflow += overflow_of(cluster.device(device), use[device].peak());
  return overflow;
}

}  // namespace berth
