#include "berth/learn/group_features.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace berth {
namespace {

constexpr std::size_t kOutputs = 5, kDimensions = 5, kNeighbours = 10;

FeatureMatrix filled(std::size_t rows, std::size_t columns, float value) {
  return {rows, columns, std::vector<float>(rows * columns, value)};
}

// The tensors that each group's outside sees, largest first.
std::vector<std::vector<TensorId>> leaving(const Graph& graph,
                                           const IdVector<NodeId, std::uint32_t>& group_of,
                                           std::size_t groups) {
  std::vector<std::vector<TensorId>> result(groups);
  for (const TensorId tensor : graph.tensors()) {
    const std::uint32_t group = group_of[graph.producer(tensor)];
    const auto users = graph.consumers(tensor);
    const auto is_inside = [&](NodeId node) { return group_of[node] == group; };
    if (users.empty() || !std::all_of(users.begin(), users.end(), is_inside))
      result[group].push_back(tensor);
  }
  for (std::vector<TensorId>& tensors : result)
    std::stable_sort(tensors.begin(), tensors.end(), [&](TensorId a, TensorId b) {
      return graph.tensor(a).size.count > graph.tensor(b).size.count;
    });
  return result;
}

}  // namespace

FeatureMatrix output_shapes(const Graph& graph, const IdVector<NodeId, std::uint32_t>& group_of,
                            std::size_t groups) {
  FeatureMatrix matrix = filled(groups, kOutputs * kDimensions, 0.0F);
  const std::vector<std::vector<TensorId>> outputs = leaving(graph, group_of, groups);
  for (std::size_t group = 0; group < groups; ++group)
    for (std::size_t i = 0; i < std::min(outputs[group].size(), kOutputs); ++i) {
      const Tensor& tensor = graph.tensor(outputs[group][i]);
      std::vector<std::int64_t> shape = tensor.shape;
      if (shape.empty()) shape.push_back(tensor.size.count);
      const auto row = matrix.values.begin() +
                       static_cast<std::ptrdiff_t>(group * matrix.columns + i * kDimensions);
      std::transform(shape.begin(),
                     shape.begin() + static_cast<std::ptrdiff_t>(
                                         std::min<std::size_t>(shape.size(), kDimensions)),
                     row, [](std::int64_t size) {
                       return static_cast<float>(
                           std::log1p(static_cast<double>(std::max<std::int64_t>(size, 0))));
                     });
    }
  return matrix;
}

FeatureMatrix neighbour_positions(const PolicyGraph& graph) {
  FeatureMatrix matrix = filled(graph.size(), 2 * kNeighbours, -1.0F);
  const float last = static_cast<float>(std::max<std::size_t>(graph.size(), 2) - 1);
  for (std::size_t set = 0; set < graph.size(); ++set) {
    std::size_t at = set * matrix.columns;
    for (const Adjacency* neighbours : {&graph.predecessors, &graph.successors}) {
      const std::vector<std::uint32_t>& all = (*neighbours)[set];
      for (std::size_t i = 0; i < std::min(all.size(), kNeighbours); ++i)
        matrix.values[at + i] = static_cast<float>(all[i]) / last;
      at += kNeighbours;
    }
  }
  return matrix;
}

FeatureMatrix group_sums(const FeatureMatrix& sets, const Groups& groups) {
  FeatureMatrix matrix = filled(groups.count, sets.columns, 0.0F);
  for (std::size_t set = 0; set < sets.rows; ++set)
    for (std::size_t c = 0; c < sets.columns; ++c)
      matrix.values[groups.group_of[set] * sets.columns + c] += sets.values[set * sets.columns + c];
  return matrix;
}

FeatureMatrix edges_between(const PolicyGraph& graph, const Groups& groups) {
  FeatureMatrix matrix = filled(groups.count, groups.count, 0.0F);
  for (const PolicyGraph::Edge& edge : graph.edges) {
    const std::uint32_t from = groups.group_of[edge.from], to = groups.group_of[edge.to];
    if (from != to) matrix.values[from * matrix.columns + to] += 1.0F;
  }
  return matrix;
}

void scale_rows(FeatureMatrix& matrix) {
  for (std::size_t row = 0; row < matrix.rows; ++row) {
    const auto begin = matrix.values.begin() + static_cast<std::ptrdiff_t>(row * matrix.columns);
    const auto end = begin + static_cast<std::ptrdiff_t>(matrix.columns);
    if (begin == end) continue;
    const float divisor = *std::max_element(begin, end) + 1;
    for (auto value = begin; value != end; ++value) *value /= divisor;
  }
}

}  // namespace berth
