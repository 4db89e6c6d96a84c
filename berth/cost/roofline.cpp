#include "berth/cost/roofline.h"

#include "berth/base/fail.h"
#include "berth/base/listed.h"

namespace berth {
namespace {

constexpr double kShareOfPeak = 0.5;

// Of op types, spelled as OpenVINO, ONNX and the usual frameworks do.
bool is_run(std::string_view type) {
  return !is_one_of(type,
                    {"Parameter", "Constant", "Const", "Result", "Input", "Output", "Placeholder"});
}
bool only_renames(std::string_view type) {
  return is_one_of(type, {"Reshape", "Squeeze", "Unsqueeze", "Flatten", "Identity", "ShapeOf",
                          "Shape", "Dropout", "View", "NoOp", "ExpandDims", "StopGradient"});
}
// Of a table they read only the rows that they give back.
bool looks_up(std::string_view type) { return is_one_of(type, {"Gather", "Embedding"}); }

// Whether it is a sum of gradients that the node hands on to the next part, or takes from it.
bool passes_on(const Graph& graph, TensorId tensor) {
  return graph.tensor(tensor).role == TensorRole::kGradientSum &&
         std::ranges::any_of(graph.consumers(tensor),
                             [&](NodeId user) { return graph.adds_in_place(user); });
}

double bytes_touched(const Graph& graph, NodeId node) {
  Bytes made{}, read{}, weights = graph.node(node).weights;
  for (const TensorId tensor : graph.outputs(node))
    if (!passes_on(graph, tensor)) made += graph.tensor(tensor).size;
  for (const TensorId tensor : graph.inputs(node)) {
    if (!graph.is_weight(tensor) && !passes_on(graph, tensor)) read += graph.tensor(tensor).size;
    if (graph.is_weight(tensor) && graph.consumers(tensor).front() == node)
      weights += graph.tensor(tensor).size;
  }
  if (looks_up(graph.node(node).op_type)) weights = std::min(weights, made);
  return static_cast<double>((weights + read + made).count);
}

}  // namespace

NodeTimes roofline_times(const Graph& graph, const Cluster& cluster) {
  for (const DeviceId d : cluster.devices())
    if (!(cluster.device(d).flops_per_second > 0) || !(cluster.device(d).bytes_per_second > 0))
      fail(
          "device {} has no flops_per_second and bytes_per_second, expected both "
          "to estimate the times of operators",
          cluster.device(d).name);

  NodeTimes times(graph.node_count(), cluster.device_count());
  for (const NodeId node : graph.nodes()) {
    const std::string& type = graph.node(node).op_type;
    if (!is_run(type)) continue;
    const bool computes = !only_renames(type);
    const double flops = graph.node(node).flops, bytes = bytes_touched(graph, node);
    for (const DeviceId d : cluster.devices()) {
      const Device& device = cluster.device(d);
      Duration time = device.launch;
      if (computes)
        time += Seconds(std::max(flops / (kShareOfPeak * device.flops_per_second),
                                 bytes / device.bytes_per_second));
      times.set(node, d, time);
    }
  }
  return times;
}

}  // namespace berth
