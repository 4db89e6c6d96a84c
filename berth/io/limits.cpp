#include "berth/io/limits.h"

#include <fmt/format.h>

#include "berth/base/error.h"

namespace berth {

void check_counts(const std::string& file, std::size_t nodes, std::size_t devices) {
  if (nodes > kMostNodes)
    throw Error(fmt::format("{}: has {} nodes, expected at most {}", file, nodes, kMostNodes));
  if (devices > kMostDevices)
    throw Error(
        fmt::format("{}: has {} devices, expected at most {}", file, devices, kMostDevices));
  if (nodes * devices > kLargestTable)
    throw Error(
        fmt::format("{}: {} nodes x {} devices make a table of {} times, expected at most {}", file,
                    nodes, devices, nodes * devices, kLargestTable));
}

void check_pair_table(const std::string& file, std::size_t tensors, std::size_t devices) {
  if (devices > kMostDevices || tensors > kLargestTable / (devices * devices + 1))
    throw Error(
        fmt::format("{}: transfer times of {} tensors between {} devices are too many, "
                    "expected at most {} numbers",
                    file, tensors, devices, kLargestTable));
}

void check_total_bytes(const std::string& file, const Graph& graph) {
  double total = 0;  // a double cannot overflow here and is exact enough for a limit
  for (const NodeId node : graph.nodes()) {
    total += static_cast<double>(graph.node(node).weights.count);
    total += static_cast<double>(graph.node(node).workspace.count);
  }
  for (const TensorId tensor : graph.tensors())
    total += static_cast<double>(graph.tensor(tensor).size.count) *
             static_cast<double>(1 + graph.consumers(tensor).size());
  if (total > static_cast<double>(kLargestBytes))
    throw Error(
        fmt::format("{}: weights and tensors add up to {:.3g} bytes, expected at most {:.3g}", file,
                    total, static_cast<double>(kLargestBytes)));
}

}  // namespace berth
