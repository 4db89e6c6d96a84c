// Graph layers: messages along edges.
//
//   Gcn       Dh^-1/2 (A_s + I) Dh^-1/2 X W + b, with A_s the symmetrised adjacency
//   Directed  LN(h_v + ReLU(W_s h_v + W_p mean of h_u, predecessors + W_c mean of h_w, successors))
//
// Rows are nodes; a leading dimension, if there is one, is a batch. Messages are products with
// sparse matrices: O(E h), no matrix of all pairs.
#pragma once

#include <torch/torch.h>

#include "berth/learn/policy_graph.h"
#include "berth/learn/torch/sparse_matrix.h"
#include "berth/learn/torch/tensors.h"

namespace berth {

// The edges of a graph as matrices.
struct GraphIndex {
  explicit GraphIndex(const PolicyGraph& graph);

  std::int64_t nodes;
  // Three rows per node: itself, the mean over its predecessors, the mean over its successors.
  SparseMatrix arriving;
  SparseMatrix both;  // symmetrised with loops, normalised
};

class GcnImpl : public torch::nn::Module {
 public:
  explicit GcnImpl(std::int64_t width);
  torch::Tensor forward(const torch::Tensor& x, const GraphIndex& index);

 private:
  torch::Tensor weight_, bias_;
};
TORCH_MODULE(Gcn);

class DirectedImpl : public torch::nn::Module {
 public:
  explicit DirectedImpl(std::int64_t width);
  torch::Tensor forward(const torch::Tensor& x, const GraphIndex& index);

 private:
  torch::nn::Linear dense_;  // [W_s W_p W_c]
  torch::nn::LayerNorm norm_;
};
TORCH_MODULE(Directed);

// log softmax within segments of the last dimension: segment s is [begin[s], begin[s + 1]).
torch::Tensor segment_log_softmax(const torch::Tensor& logits, const torch::Tensor& begin);

}  // namespace berth
