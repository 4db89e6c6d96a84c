#include "berth/learn/torch/placeto/state_features.h"

#include <algorithm>

namespace berth {
namespace {

void divide_by_largest(std::vector<double>& values) {
  const double largest = values.empty() ? 0 : *std::ranges::max_element(values);
  if (largest > 0)
    for (double& value : values) value /= largest;
}

}  // namespace

StateFeatures::StateFeatures(const PolicyGraph& graph, const VisitOrder& order)
    : graph_(graph),
      order_(order),
      position_(graph.size()),
      cost_(graph.micros),
      bytes_(graph.size(), 0.0),
      memory_(graph.weight_bytes) {
  for (std::size_t step = 0; step < order.size(); ++step) position_[order[step]] = step;
  for (std::size_t i = 0; i < cost_.size(); ++i)
    if (graph.allowed[i] == 0) cost_[i] = 0;  // it may be infinite there, and is never there
  for (const PolicyGraph::Edge& edge : graph.edges) bytes_[edge.from] += edge.bytes;
  for (std::vector<double>* values : {&cost_, &bytes_, &memory_}) divide_by_largest(*values);
}

void StateFeatures::write(const PlacementWalk& walk, std::size_t step, std::size_t w,
                          std::size_t walks, std::span<float> x) const {
  const std::size_t sets = graph_.size(), devices = graph_.device_count;
  const std::span<const double> starts = walk.starts();
  const double largest = std::max(*std::ranges::max_element(starts), 1e-9);
  const double now = starts[order_[step]];
  for (std::size_t set = 0; set < sets; ++set) {
    const std::size_t device = walk.devices()[set];
    const auto put = [&](std::size_t feature, double value) {
      x[(feature * sets + set) * walks + w] = static_cast<float>(value);
    };
    put(0, cost_[set * devices + device]);
    put(1, bytes_[set]);
    put(2, position_[set] < step ? 1 : 0);
    put(3, position_[set] == step ? 1 : 0);
    put(4, (starts[set] - now) / largest);
    put(5, memory_[set]);
    for (std::size_t d = 0; d < devices; ++d) put(kShared + d, d == device ? 1 : 0);
  }
}

}  // namespace berth
