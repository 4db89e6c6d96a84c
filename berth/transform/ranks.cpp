#include "berth/transform/ranks.h"

#include <cmath>

namespace berth {

IdVector<NodeId, Duration> mean_times(const Problem& problem) {
  IdVector<NodeId, Duration> mean(problem.node_count(), Duration{0});
  for (const NodeId node : problem.graph().nodes()) {
    double sum = 0;
    int count = 0;
    for (const double micros : problem.time_row(node))
      if (std::isfinite(micros)) sum += micros, ++count;
    if (count > 0) mean[node] = Duration{sum / count};
  }
  return mean;
}

IdVector<TensorId, Duration> mean_transfers(const Problem& problem) {
  const std::size_t devices = problem.device_count();
  IdVector<TensorId, Duration> mean(problem.graph().tensor_count(), Duration{0});
  if (devices < 2) return mean;
  const double pairs = static_cast<double>(devices * devices);
  if (problem.costs().transfers.source() == TransferSource::kLinks) {
    // startup + bytes / bandwidth is linear in the bytes: average the two coefficients once.
    double startup = 0, per_byte = 0;
    problem.cluster().each_link([&](DeviceId from, DeviceId to) {
      startup += problem.cluster().link(from, to).startup.count() / pairs;
      per_byte += 1e6 / problem.cluster().link(from, to).bytes_per_second / pairs;
    });
    for (const TensorId tensor : problem.graph().tensors()) {
      const double bytes = static_cast<double>(problem.graph().tensor(tensor).size.count);
      mean[tensor] = Duration{problem.frequency(tensor) * (startup + per_byte * bytes)};
    }
    return mean;
  }
  for (const TensorId tensor : problem.graph().tensors()) {
    double sum = 0;
    problem.cluster().each_link(
        [&](DeviceId from, DeviceId to) { sum += problem.transfer(tensor, from, to).count(); });
    mean[tensor] = Duration{sum / pairs};
  }
  return mean;
}

IdVector<NodeId, Duration> upward_ranks(const Problem& problem) {
  const Graph& graph = problem.graph();
  const IdVector<TensorId, Duration> transfer = mean_transfers(problem);
  IdVector<NodeId, Duration> rank = mean_times(problem);
  const std::span<const NodeId> order = graph.topological_order();
  for (auto at = order.rbegin(); at != order.rend(); ++at) {
    Duration below{0}, next_part{0};
    for (const TensorId tensor : graph.outputs(*at)) {
      const bool sum = graph.tensor(tensor).role == TensorRole::kGradientSum;
      for (const NodeId next : graph.consumers(tensor))
        if (sum && graph.adds_in_place(next))
          next_part = std::max(next_part, rank[next]);
        else
          below = std::max(below, transfer[tensor] + rank[next]);
    }
    rank[*at] = std::max(rank[*at] + below, next_part);
  }
  return rank;
}

std::vector<NodeId> priority_order(const Problem& problem) {
  const IdVector<NodeId, Duration> rank = upward_ranks(problem);
  const std::span<const NodeId> topological = problem.graph().topological_order();
  std::vector<NodeId> order(topological.begin(), topological.end());
  // Ranks never rise along an edge; equal ranks (zero times) keep the topological order.
  std::ranges::stable_sort(order, std::greater{}, [&](NodeId node) { return rank[node]; });
  return order;
}

Duration critical_path(const Problem& problem) {
  const Graph& graph = problem.graph();
  IdVector<NodeId, double> finish(problem.node_count(), 0.0);
  double longest = 0;
  for (const NodeId node : graph.topological_order()) {
    double fastest = kForever.count();
    for (const DeviceId device : problem.devices())
      if (problem.allows(node, device))
        fastest = std::min(fastest, problem.time(node, device).count());
    double start = 0;
    for (const NodeId before : graph.predecessors(node)) start = std::max(start, finish[before]);
    finish[node] = start + fastest;
    longest = std::max(longest, finish[node]);
  }
  return Duration{longest};
}

}  // namespace berth
