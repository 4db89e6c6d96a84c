#include "berth/sim/call.h"

#include <algorithm>
#include <vector>

namespace berth {
namespace {

// Walks the calls in topological order. `tell` hears when each starts, and of every read, run and
// write with its times, or is a no-op. Inputs of a piece are told once per (tensor, piece).
template <class Tell>
Duration walk_calls(const Problem& problem, std::span<const DeviceId> device_of,
                    const Pieces& calls, Tell&& tell) {
  const Graph& graph = problem.graph();
  const std::size_t count = calls.count();
  std::vector<std::uint32_t> begin(count + 1, 0);
  for (const std::uint32_t piece : calls.piece_of) ++begin[piece + 1];
  for (std::size_t i = 0; i < count; ++i) begin[i + 1] += begin[i];
  std::vector<NodeId> members(graph.node_count());
  std::vector<std::uint32_t> next(begin.begin(), begin.end() - 1);
  for (const NodeId node : graph.topological_order()) members[next[calls.piece_of[node]]++] = node;

  IdVector<NodeId, Duration> ready(graph.node_count(), Duration{0});
  IdVector<DeviceId, Duration> device_free(problem.device_count(), Duration{0});
  std::vector<std::uint32_t> read_by(graph.tensor_count(), static_cast<std::uint32_t>(count));
  Duration latest{0};
  for (std::uint32_t piece = 0; piece < count; ++piece) {
    const std::span<const NodeId> nodes(members.data() + begin[piece],
                                        members.data() + begin[piece + 1]);
    const DeviceId device = calls.device[piece];
    const bool host = problem.cluster().device(device).is_host();
    Duration start = host ? Duration{0} : device_free[device];
    for (const NodeId node : nodes)
      for (const NodeId before : graph.predecessors(node))
        if (calls.piece_of[before] != piece) start = std::max(start, ready[before]);

    tell.start(piece, start);
    Duration now = start;
    const auto spend = [&](Duration time) {
      const Duration from = now;
      now += time;
      return std::pair(from, now);
    };
    if (!host)
      for (const NodeId node : nodes)
        for (const TensorId tensor : graph.inputs(node)) {
          if (calls.piece_of[graph.producer(tensor)] == piece || read_by[index(tensor)] == piece)
            continue;
          read_by[index(tensor)] = piece;
          const auto [from, to] = spend(problem.read_from_host(tensor, device));
          tell.read(tensor, device, from, to);
        }
    for (const NodeId node : nodes) {
      const auto [from, to] = spend(problem.time(node, device_of[index(node)]));
      tell.run(node, device, from, to);
    }
    if (!host)
      for (const NodeId node : nodes)
        for (const TensorId tensor : graph.outputs(node)) {
          const std::span<const NodeId> users = graph.consumers(tensor);
          if (std::none_of(users.begin(), users.end(),
                           [&](NodeId user) { return calls.piece_of[user] != piece; }))
            continue;
          const auto [from, to] = spend(problem.write_to_host(tensor, device));
          tell.write(tensor, device, from, to);
        }
    for (const NodeId node : nodes) ready[node] = now;
    if (!host) device_free[device] = now;
    latest = std::max(latest, now);
  }
  return latest;
}

struct Silent {
  void start(std::uint32_t, Duration) {}
  void read(TensorId, DeviceId, Duration, Duration) {}
  void run(NodeId, DeviceId, Duration, Duration) {}
  void write(TensorId, DeviceId, Duration, Duration) {}
};

struct Starts : Silent {
  explicit Starts(std::vector<Duration>& times) : at(times) {}
  void start(std::uint32_t piece, Duration time) { at[piece] = time; }
  std::vector<Duration>& at;
};

// Host memory appears in moves as the host device, or, without one, as the device itself.
struct Recorder {
  DeviceId host(DeviceId device) const {
    return problem.cluster().host_of(device).value_or(device);
  }
  void start(std::uint32_t, Duration) {}
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

Schedule call_schedule(const Problem& problem, std::span<const DeviceId> device_of,
                       const Pieces& calls) {
  Schedule schedule;
  schedule.makespan = walk_calls(problem, device_of, calls, Recorder{problem, schedule});
  std::stable_sort(schedule.runs.begin(), schedule.runs.end(), [](const Run& a, const Run& b) {
    return std::pair(a.start, a.device) < std::pair(b.start, b.device);
  });
  std::stable_sort(schedule.moves.begin(), schedule.moves.end(),
                   [](const Move& a, const Move& b) { return a.start < b.start; });
  return schedule;
}

std::vector<Duration> call_starts(const Problem& problem, std::span<const DeviceId> device_of,
                                  const Pieces& calls) {
  std::vector<Duration> starts(calls.count(), Duration{0});
  walk_calls(problem, device_of, calls, Starts{starts});
  return starts;
}

Duration call_latency(const Problem& problem, std::span<const DeviceId> device_of,
                      const Pieces& calls) {
  return walk_calls(problem, device_of, calls, Silent{});
}

}  // namespace berth
