// A problem in which nodes share weights, drawn at random.
#pragma once

#include "berth/base/random.h"
#include "berth/problem.h"

namespace berth {

// About two in five tensors become weights of their producers, a few others sums of gradients; all
// else stays. Wherever they stand in the graph: what shares a weight may itself take time.
inline Problem with_shared_weights(const Problem& problem, Rng& rng) {
  const Graph& graph = problem.graph();
  std::vector<Node> nodes;
  for (const NodeId node : graph.nodes()) nodes.push_back(graph.node(node));
  std::vector<Tensor> tensors;
  for (const TensorId id : graph.tensors()) {
    Tensor& tensor = tensors.emplace_back(graph.tensor(id));
    const double draw = rng.uniform();
    if (draw < 0.4) {
      tensor.role = TensorRole::kWeight;
      tensor.size += Bytes{static_cast<std::int64_t>(rng.below(12))};
      nodes[index(graph.producer(id))].weights += tensor.size;
    } else if (draw < 0.6) {
      tensor.role = TensorRole::kGradientSum;
    }
  }
  GraphBuilder builder;
  for (Node& node : nodes) builder.add_node(std::move(node));
  for (const TensorId id : graph.tensors()) {
    builder.add_tensor(graph.producer(id), std::move(tensors[index(id)]));
    for (const NodeId user : graph.consumers(id)) builder.add_use(id, user);
  }
  return Problem(problem.name(), std::move(builder).build(), problem.cluster(), problem.costs(),
                 problem.constraints(), problem.model());
}

}  // namespace berth
