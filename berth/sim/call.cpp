#include "berth/sim/call.h"

namespace berth {
namespace {

// Hears nothing.
struct Silent {
  void start(std::uint32_t, Duration) {}
  void read(TensorId, DeviceId, Duration, Duration) {}
  void run(NodeId, DeviceId, Duration, Duration) {}
  void write(TensorId, DeviceId, Duration, Duration) {}
};

// Walks the calls in topological order. `tell` hears when each starts, and of every read, run and
// write with its times. Inputs of a piece are told once per (tensor, piece).
template <class Tell>
Duration walk_calls(const Problem& problem, const Pieces& calls, Tell&& tell) {
  const Graph& graph = problem.graph();
  const PieceMembers members(graph, calls);
  const auto count = static_cast<std::uint32_t>(calls.count());
  IdVector<NodeId, Duration> ready(graph.node_count(), Duration{0});
  IdVector<DeviceId, Duration> device_free(problem.device_count(), Duration{0});
  IdVector<TensorId, std::uint32_t> read_by(graph.tensor_count(), count);
  Duration latest{0};
  for (std::uint32_t piece = 0; piece < count; ++piece) {
    const std::span<const NodeId> nodes = members.of(piece);
    const DeviceId device = calls.device[piece];
    const bool host = problem.cluster().device(device).is_host();
    const auto outside = [&](NodeId node) { return calls.piece_of[node] != piece; };
    Duration now = host ? Duration{0} : device_free[device];
    for (const NodeId node : nodes)
      for (const NodeId before : graph.predecessors(node))
        if (outside(before)) now = std::max(now, ready[before]);
    tell.start(piece, now);

    const auto spend = [&](Duration time) { return std::exchange(now, now + time); };
    if (!host)
      for (const NodeId node : nodes)
        for (const TensorId tensor : graph.inputs(node)) {
          if (!outside(graph.producer(tensor)) || read_by[tensor] == piece) continue;
          read_by[tensor] = piece;
          const Duration from = spend(problem.read_from_host(tensor, device));
          tell.read(tensor, device, from, now);
        }
    for (const NodeId node : nodes) {
      const Duration from = spend(problem.time(node, device));
      tell.run(node, device, from, now);
    }
    if (!host)
      for (const NodeId node : nodes)
        for (const TensorId tensor : graph.outputs(node)) {
          if (std::ranges::none_of(graph.consumers(tensor), outside)) continue;
          const Duration from = spend(problem.write_to_host(tensor, device));
          tell.write(tensor, device, from, now);
        }
    for (const NodeId node : nodes) ready[node] = now;
    if (!host) device_free[device] = now;
    latest = std::max(latest, now);
  }
  return latest;
}

struct Starts : Silent {
  explicit Starts(std::vector<Duration>& times) : at(times) {}
  void start(std::uint32_t piece, Duration time) { at[piece] = time; }
  std::vector<Duration>& at;
};

// Host memory appears in moves as the host device, or, without one, as the device itself.
struct Recorder : Silent {
  Recorder(const Problem& given, Schedule& told) : problem(given), schedule(told) {}
  DeviceId host(DeviceId device) const {
    return problem.cluster().host_of(device).value_or(device);
  }
  void read(TensorId tensor, DeviceId device, Duration from, Duration to) {
    schedule.moves.push_back({tensor, host(device), device, from, to});
  }
  void run(NodeId node, DeviceId device, Duration from, Duration to) {
    schedule.runs.push_back({node, device, from, to});
  }
  void write(TensorId tensor, DeviceId device, Duration from, Duration to) {
    schedule.moves.push_back({tensor, device, host(device), from, to});
  }
  const Problem& problem;
  Schedule& schedule;
};

}  // namespace

Schedule call_schedule(const Problem& problem, const Pieces& calls) {
  Schedule schedule;
  schedule.makespan = walk_calls(problem, calls, Recorder(problem, schedule));
  sort_by_start(schedule);
  return schedule;
}

std::vector<Duration> call_starts(const Problem& problem, const Pieces& calls) {
  std::vector<Duration> starts(calls.count(), Duration{0});
  walk_calls(problem, calls, Starts(starts));
  return starts;
}

Duration call_latency(const Problem& problem, const Pieces& calls) {
  return walk_calls(problem, calls, Silent{});
}

}  // namespace berth
