#include "berth/runtime/piece_problem.h"

#include <algorithm>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "berth/sim/evaluate.h"

namespace berth {
namespace {

// The pieces other than the producer's that use a tensor, ascending.
std::vector<std::uint32_t> receivers(const Graph& graph, const Pieces& pieces, TensorId tensor) {
  std::vector<std::uint32_t> result;
  const std::uint32_t own = pieces.piece_of[graph.producer(tensor)];
  for (const NodeId consumer : graph.consumers(tensor))
    if (pieces.piece_of[consumer] != own) result.push_back(pieces.piece_of[consumer]);
  std::sort(result.begin(), result.end());
  result.erase(std::unique(result.begin(), result.end()), result.end());
  return result;
}

ExecutionModel model_for(Objective objective) {
  if (objective == Objective::kLatency) return {};
  return {.execution = Execution::kPipeline,
          .objective = Objective::kThroughput,
          .overlap = Overlap::kMax};
}

}  // namespace

std::vector<Bytes> border_bytes(const Graph& graph, const Pieces& pieces) {
  std::vector<bool> blocked(pieces.count(), false);
  for (const NodeId node : graph.nodes())
    if (graph.node(node).op_type.find("Conv") != std::string::npos &&
        !graph.node(node).op_type.starts_with("Convert"))
      blocked[pieces.piece_of[node]] = true;
  std::vector<Bytes> border(pieces.count());
  for (const TensorId tensor : graph.tensors()) {
    if (graph.tensor(tensor).shape.size() < 4) continue;
    const std::vector<std::uint32_t> to = receivers(graph, pieces, tensor);
    if (to.empty()) continue;
    const std::uint32_t from = pieces.piece_of[graph.producer(tensor)];
    const Bytes size = graph.tensor(tensor).size;
    if (blocked[from]) border[from] += size;
    for (const std::uint32_t piece : to)
      if (blocked[piece]) border[piece] += size;
  }
  return border;
}

std::vector<Duration> profiled_times(const Problem& problem, const Pieces& pieces) {
  std::vector<Duration> sum(pieces.count(), Duration{0});
  for (const NodeId node : problem.graph().nodes()) {
    const std::uint32_t piece = pieces.piece_of[node];
    sum[piece] += problem.time(node, pieces.device[piece]);
  }
  return sum;
}

Problem piece_problem(const Problem& profiled, const Pieces& pieces,
                      const Calibration& calibration) {
  const Graph& graph = profiled.graph();
  const std::vector<Bytes> border = border_bytes(graph, pieces);
  const std::vector<Duration> sum = profiled_times(profiled, pieces);
  GraphBuilder builder;
  NodeTimes times(pieces.count(), profiled.device_count(), kForever);
  for (std::size_t p = 0; p < pieces.count(); ++p) {
    const NodeId node = builder.add_node({.name = fmt::format("piece {}", p)});
    times.set(node, pieces.device[p],
              calibration.devices[index(pieces.device[p])].piece_time(sum[p], border[p]));
  }
  for (const TensorId tensor : graph.tensors()) {
    const std::vector<std::uint32_t> to = receivers(graph, pieces, tensor);
    if (to.empty()) continue;
    const NodeId from = static_cast<NodeId>(pieces.piece_of[graph.producer(tensor)]);
    const TensorId between = builder.add_tensor(from, {.size = graph.tensor(tensor).size});
    for (const std::uint32_t piece : to) builder.add_use(between, static_cast<NodeId>(piece));
  }
  std::vector<Device> devices;
  for (const DeviceId d : profiled.devices()) {
    devices.push_back(profiled.cluster().device(d));
    devices.back().memory.reset();
  }
  Cluster cluster(std::move(devices));
  for (const DeviceId from : cluster.devices())
    for (const DeviceId to : cluster.devices())
      if (from != to)
        cluster.set_link_speed(from, to, calibration.hand_over,
                               std::numeric_limits<double>::infinity());
  cluster.set_uncontended();
  return Problem(profiled.name(), std::move(builder).build(), std::move(cluster),
                 {std::move(times), {}});
}

Duration predict(const Problem& profiled, const Placement& placement,
                 const Calibration& calibration, Objective objective) {
  const auto& device_of = placement.device_of.items();
  const Pieces pieces = objective == Objective::kLatency
                            ? prompt_pieces(profiled.graph(), device_of)
                            : subgraph_pieces(profiled.graph(), device_of);
  const Problem small =
      piece_problem(profiled, pieces, calibration).with_model(model_for(objective));
  return calibration.stretch * Evaluator(small)(std::span<const DeviceId>(pieces.device)).value;
}

Problem calibrated(const Problem& profiled, const Calibration& calibration) {
  NodeTimes times(profiled.node_count(), profiled.device_count());
  for (const NodeId node : profiled.graph().nodes())
    for (const DeviceId device : profiled.devices()) {
      const Duration time = profiled.costs().times(node, device);
      const bool runs = time != kForever;  // forever stays forever, even scaled by zero
      const double factor = calibration.stretch * calibration.devices[index(device)].scale;
      times.set(node, device, runs ? time * factor : kForever);
    }
  Cluster cluster = profiled.cluster();
  for (const DeviceId from : cluster.devices())
    for (const DeviceId to : cluster.devices()) {
      if (from == to) continue;
      const DeviceFit& out = calibration.devices[index(from)];
      const DeviceFit& in = calibration.devices[index(to)];
      const double micros_per_byte =
          calibration.crossing * (out.micros_per_byte + in.micros_per_byte);
      cluster.set_link_speed(from, to,
                             calibration.hand_over +
                                 calibration.crossing * (out.overhead + in.overhead),
                             micros_per_byte > 0 ? 1e6 / micros_per_byte
                                                 : std::numeric_limits<double>::infinity());
    }
  return Problem(profiled.name(), profiled.graph(), std::move(cluster),
                 {std::move(times), profiled.costs().transfers}, profiled.constraints(),
                 profiled.model());
}

}  // namespace berth
