#include "berth/io/limits.h"

namespace berth {

void check_counts(const std::string& file, std::size_t nodes, std::size_t devices) {
  if (nodes > kMostNodes) fail("{}: has {} nodes, expected at most {}", file, nodes, kMostNodes);
  if (devices > kMostDevices)
    fail("{}: has {} devices, expected at most {}", file, devices, kMostDevices);
  if (nodes * devices > kLargestTable)
    fail("{}: {} nodes x {} devices make a table of {} times, expected at most {}", file, nodes,
         devices, nodes * devices, kLargestTable);
}

void check_pair_table(const std::string& file, std::size_t tensors, std::size_t devices) {
  if (devices > kMostDevices || tensors > kLargestTable / (devices * devices + 1))
    fail(
        "{}: transfer times of {} tensors between {} devices are too many, "
        "expected at most {} numbers",
        file, tensors, devices, kLargestTable);
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
    fail("{}: weights and tensors add up to {:.3g} bytes, expected at most {:.3g}", file, total,
         static_cast<double>(kLargestBytes));
}

Graph checked_graph(const std::string& file, GraphBuilder builder) {
  Graph graph = in_file(file, [&] { return std::move(builder).build(); });
  check_total_bytes(file, graph);
  return graph;
}

Problem checked_problem(const std::string& file, const std::string& name, GraphBuilder builder,
                        const Cluster& cluster, Costs costs, ExecutionModel model) {
  Graph graph = checked_graph(file, std::move(builder));
  return in_file(
      file, [&] { return Problem(name, std::move(graph), cluster, std::move(costs), {}, model); });
}

}  // namespace berth
