#include "berth/runtime/model_problem.h"

#include <limits>

#include "berth/cost/roofline.h"
#include "berth/graph/backward.h"
#include "berth/io/limits.h"

namespace berth {

Problem model_problem(const Model& model, const Cluster& cluster, bool training,
                      Optimizer optimizer, SharedWeights weights) {
  Graph graph = weights == SharedWeights::kTied ? model.graph() : model.untied_graph();
  if (training) graph = with_backward_pass(graph, optimizer);
  check_counts(model.name(), graph.node_count(), cluster.device_count());
  check_total_bytes(model.name(), graph);
  Costs costs{roofline_times(graph, cluster), {}};
  return Problem(model.name(), std::move(graph), cluster, std::move(costs));
}

Problem piece_problem(const Problem& profiled, const Calibration& calibration,
                      Objective objective) {
  NodeTimes times(profiled.node_count(), profiled.device_count());
  for (const NodeId node : profiled.graph().nodes())
    for (const DeviceId device : profiled.devices()) {
      const Duration time = profiled.costs().times(node, device);
      const bool runs = time != kForever;  // forever stays forever, even scaled by zero
      const double factor = calibration.devices[index(device)].scale;
      times.set(node, device, runs ? time * factor : kForever);
    }
  Cluster cluster = profiled.cluster();
  for (const DeviceId id : cluster.devices()) {
    const DeviceFit& fit = calibration.devices[index(id)];
    Device device = cluster.device(id);
    device.piece_overhead = fit.overhead;
    device.border_bytes_per_second = fit.micros_per_byte > 0 ? 1e6 / fit.micros_per_byte : 0;
    cluster.set_device(id, device);
    for (const DeviceId to : cluster.devices())
      if (id != to)
        cluster.set_link_speed(id, to, calibration.hand_over,
                               std::numeric_limits<double>::infinity());
  }
  return Problem(profiled.name(), profiled.graph(), std::move(cluster), {std::move(times), {}},
                 profiled.constraints(),
                 InPieces{.objective = objective, .contention = calibration.contention});
}

std::vector<Duration> profiled_times(const Problem& problem, const Pieces& pieces) {
  std::vector<Duration> sum(pieces.count(), Duration{0});
  for (const NodeId node : problem.graph().nodes()) {
    const std::uint32_t piece = pieces.piece_of[node];
    sum[piece] += problem.time(node, pieces.device[piece]);
  }
  return sum;
}

}  // namespace berth
