// The network of Placeto: from a placement to the device of the node that is visited.
//
// Rows of X are nodes; e features in, f and g two layers of width e, one pair per direction:
//   x0 = MLP(e, e, e, e)
//   x <- ReLU(g(sum over neighbours of ReLU(f(x)))) + x0        `rounds` times, from x0
// once with predecessors and once with successors as neighbours, side by side: z, 2e wide. Then for
// the node v that is visited, with layers of width 2e and other f and g for each of the three,
//   a = ReLU(g(sum of ReLU(f(z_u)) over u)),   u the ancestors of v, its descendants, the rest
//   logits = MLP(8e, 16e, 8e, D) of [z_v ; a_1 ; a_2 ; a_3]
// A g of nothing is 0. Sums, not means: how much work lies behind a node is what they tell.
//
// Placements of many episodes (W) and steps (S) pass at once, with features as the first dimension
// and placements as the last: each layer is one product of a small matrix with a long one, and a
// message adds whole rows. O(S W (rounds (V e^2 + E e) + V e^2)).
//
// Addanki et al., NeurIPS 2019, section 3.2.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include <torch/torch.h>

#include "berth/learn/policy_graph.h"
#include "berth/learn/torch/sparse_matrix.h"
#include "berth/learn/visit_order.h"

namespace berth {

// The edges of a graph as sums over neighbours.
struct PlacetoGraph {
  explicit PlacetoGraph(const PolicyGraph& graph);

  std::array<SparseMatrix, 2> arriving;  // from predecessors, from successors
  torch::Tensor has_neighbours;          // [2, 1, n, 1]: 1 or 0
};

// What the visited nodes of S steps see.
struct PlacetoVisits {
  PlacetoVisits(const VisitOrder& order, std::size_t first_step, std::size_t steps);

  torch::Tensor node;         // [S]
  torch::Tensor related;      // [3, 1, n, S, 1]: 1 for the nodes of each relation
  torch::Tensor has_related;  // [3, 1, S, 1]: 1 or 0
};

// Dense layers side by side: x [k, in, N] to [k, out, N].
class SideBySideImpl : public torch::nn::Module {
 public:
  SideBySideImpl(std::int64_t layers, std::int64_t in, std::int64_t out);
  torch::Tensor forward(const torch::Tensor& x);

 private:
  torch::Tensor weight_, bias_;  // [k, out, in], [k, out, 1]
};
TORCH_MODULE(SideBySide);

class PlacetoNetworkImpl : public torch::nn::Module {
 public:
  PlacetoNetworkImpl(std::int64_t features, std::int64_t devices, std::int64_t rounds);

  // x [e, n, S, W] to logits [D, S, W].
  torch::Tensor forward(const torch::Tensor& x, const PlacetoGraph& graph,
                        const PlacetoVisits& visits);

 private:
  torch::Tensor encode(const torch::Tensor& x, const PlacetoGraph& graph);     // [2e, n, S, W]
  torch::Tensor related(const torch::Tensor& z, const PlacetoVisits& visits);  // [6e, S W]

  std::int64_t rounds_;
  std::vector<SideBySide> in_, message_, pool_, out_;
};
TORCH_MODULE(PlacetoNetwork);

}  // namespace berth
