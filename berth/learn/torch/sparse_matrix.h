// A sparse matrix that never changes, times a dense one that does.
//
//   y = S x,   and back:   gradient of x = S^T (gradient of y)
//
// What a network does along a graph is such a product: messages (S is the adjacency, normalised),
// the mean of a group's members. S and its transpose are kept in
// compressed rows, so that both directions add whole rows of x: O(entries * width), no atomics, one
// call into LibTorch instead of one for gathering and one for every row that is added.
#pragma once

#include <cstdint>
#include <span>

#include <torch/torch.h>

namespace berth {

class SparseMatrix {
 public:
  struct Entry {
    std::int64_t row, column;
    float weight;
  };
  SparseMatrix() = default;
  SparseMatrix(std::int64_t rows, std::int64_t columns, std::span<const Entry> entries);

  // [columns, h] to [rows, h]; a leading dimension, if there is one, is a batch.
  torch::Tensor operator()(const torch::Tensor& x) const;

 private:
  c10::intrusive_ptr<torch::CustomClassHolder> data_;  // both orders of the entries
};

}  // namespace berth
