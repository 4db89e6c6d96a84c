#include "berth/cost/roofline.h"

#include <algorithm>
#include <array>
#include <string_view>

#include <fmt/format.h>

#include "berth/base/error.h"

namespace berth {

namespace {

constexpr double kShareOfPeak = 0.5;

enum class Work { kNone, kLaunchOnly, kFull };

// Names as OpenVINO, ONNX and the usual frameworks spell them.
Work work_of(std::string_view op_type) {
  constexpr std::array kNotRun{"Parameter", "Constant", "Const",      "Result",
                               "Input",     "Output",   "Placeholder"};
  constexpr std::array kViews{"Reshape",  "Squeeze", "Unsqueeze",  "Flatten",
                              "Identity", "ShapeOf", "Shape",      "Dropout",
                              "View",     "NoOp",    "ExpandDims", "StopGradient"};
  const auto is = [&](const char* name) { return op_type == name; };
  if (std::ranges::any_of(kNotRun, is)) return Work::kNone;
  if (std::ranges::any_of(kViews, is)) return Work::kLaunchOnly;
  return Work::kFull;
}

// Of a table they read only the rows that they give back.
bool looks_up(std::string_view op_type) {
  constexpr std::array kLookups{"Gather", "Embedding"};
  return std::ranges::any_of(kLookups, [&](const char* name) { return op_type == name; });
}

double bytes_touched(const Graph& graph, NodeId node) {
  double bytes = static_cast<double>(graph.node(node).weights.count);
  if (looks_up(graph.node(node).op_type)) {
    double rows = 0;
    for (const TensorId tensor : graph.outputs(node))
      rows += static_cast<double>(graph.tensor(tensor).size.count);
    bytes = std::min(bytes, rows);
  }
  for (const TensorId tensor : graph.inputs(node))
    bytes += static_cast<double>(graph.tensor(tensor).size.count);
  for (const TensorId tensor : graph.outputs(node))
    bytes += static_cast<double>(graph.tensor(tensor).size.count);
  return bytes;
}

}  // namespace

NodeTimes roofline_times(const Graph& graph, const Cluster& cluster) {
  for (const DeviceId d : cluster.devices())
    if (!(cluster.device(d).flops_per_second > 0) || !(cluster.device(d).bytes_per_second > 0))
      throw Error(
          fmt::format("device {} has no flops_per_second and bytes_per_second, expected both "
                      "to estimate the times of operators",
                      cluster.device(d).name));

  NodeTimes times(graph.node_count(), cluster.device_count());
  for (const NodeId node : graph.nodes()) {
    const Work work = work_of(graph.node(node).op_type);
    if (work == Work::kNone) continue;
    const double flops = graph.node(node).flops;
    const double bytes = bytes_touched(graph, node);
    for (const DeviceId d : cluster.devices()) {
      const Device& device = cluster.device(d);
      Duration time = device.launch;
      if (work == Work::kFull)
        time += Seconds(std::max(flops / (kShareOfPeak * device.flops_per_second),
                                 bytes / device.bytes_per_second));
      times.set(node, d, time);
    }
  }
  return times;
}

}  // namespace berth
