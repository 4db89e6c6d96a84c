#include "berth/sim/memory.h"

#include <algorithm>
#include <limits>
#include <vector>

namespace berth {
namespace {

enum class Part : std::uint8_t { kActivations, kBuffers, kWorkspace };

struct Change {
  Duration time;
  Bytes bytes;
  DeviceId device;
  Part part;
};

Bytes& part_of(MemoryUse& use, Part part) {
  switch (part) {
    case Part::kActivations:
      return use.activations;
    case Part::kBuffers:
      return use.buffers;
    case Part::kWorkspace:
      break;
  }
  return use.workspace;
}

IdVector<DeviceId, MemoryUse> static_use(const Problem& problem, const Placement& placement) {
  IdVector<DeviceId, MemoryUse> use(problem.device_count());
  for (const NodeId node : problem.graph().nodes())
    use[placement.device_of[node]].weights += problem.graph().node(node).weights;
  return use;
}

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
    live(run.device, Part::kWorkspace, graph.node(run.node).workspace, run.start, run.finish);
  }
  IdVector<TensorId, Duration> last_sent(graph.tensor_count(), Duration{0});
  for (const Move& move : schedule.moves) {
    last_sent[move.tensor] = std::max(last_sent[move.tensor], move.finish);
    Duration end = move.finish;
    for (const NodeId consumer : graph.consumers(move.tensor))
      if (placement.device_of[consumer] == move.to) end = std::max(end, finish[consumer]);
    live(move.to, Part::kBuffers, graph.tensor(move.tensor).size, move.start, end);
  }
  for (const TensorId tensor : graph.tensors()) {
    const NodeId producer = graph.producer(tensor);
    const DeviceId device = placement.device_of[producer];
    Duration end = std::max(finish[producer], last_sent[tensor]);
    for (const NodeId consumer : graph.consumers(tensor))
      if (placement.device_of[consumer] == device) end = std::max(end, finish[consumer]);
    if (graph.consumers(tensor).empty()) end = schedule.makespan;
    live(device, Part::kActivations, graph.tensor(tensor).size, start[producer], end);
  }
  // Half-open intervals: at one instant what ends goes before what starts.
  std::sort(changes.begin(), changes.end(), [](const Change& a, const Change& b) {
    return a.time != b.time ? a.time < b.time : a.bytes < b.bytes;
  });
  return changes;
}

// What further samples in flight hold; see the header.
IdVector<DeviceId, Bytes> pipeline_extra(const Problem& problem, const Placement& placement) {
  const Graph& graph = problem.graph();
  const std::size_t devices = problem.device_count();
  IdVector<DeviceId, Bytes> extra(devices);
  std::vector<bool> seen(devices);
  for (const TensorId tensor : graph.tensors()) {
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
    const std::int64_t in_flight = gpipe ? problem.as<MaxLoad>()->microbatches
                                         : static_cast<std::int64_t>(stages.size() - rank);
    extra[stages[rank]] = Bytes{extra[stages[rank]].count * (in_flight - 1)};
  }
  return extra;
}

}  // namespace

IdVector<DeviceId, MemoryUse> peak_memory(const Problem& problem, const Placement& placement,
                                          const Schedule& schedule) {
  const Graph& graph = problem.graph();
  IdVector<DeviceId, MemoryUse> now = static_use(problem, placement);
  if (problem.model().through_host()) {
    for (const NodeId node : graph.nodes()) {
      MemoryUse& use = now[placement.device_of[node]];
      use.workspace = std::max(use.workspace, graph.node(node).workspace);
    }
    return now;
  }

  IdVector<DeviceId, MemoryUse> peak = now;
  const std::vector<Change> changes = lifetimes(problem, placement, schedule);
  for (const Change& change : changes) {
    MemoryUse& use = now[change.device];
    part_of(use, change.part) += change.bytes;
    if (use.peak() > peak[change.device].peak()) {
      peak[change.device] = use;
      peak[change.device].moment = change.time;
    }
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
