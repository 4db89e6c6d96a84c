// The backward pass of a graph: what training adds to inference.
//
// Reverse-mode differentiation as a transformation of graphs. Operators are visited in reverse
// order. An operator v needs gradients if it has weights or uses a tensor of one that does, and
// makes a tensor of real numbers that somebody downstream differentiates. It then gets, all of pass
// kBackward and in v's co-location group:
//
//   v/sum          when several users send a gradient for one tensor: adds them up
//   v/grad         the gradients of the tensors that v reads, each as large as the tensor. A
//                  product (MatMul, Convolution, Multiply, ...) has one such operator per operand,
//                  v/grad:0, v/grad:1, because each is a product of its own
//   v/weight-grad  the gradient of v's weights
//   v/update       applies it, and holds what the optimizer remembers of each weight: nothing for
//                  plain gradient descent, two operations per four bytes; two moments, each as
//                  large as the weights, for Adam, twelve operations
//
// A mirror reads the gradients of v's outputs and what the derivative needs: the inputs of v in
// general, the outputs where the derivative is known from them (Relu, Sigmoid, Tanh, Softmax, ...),
// neither for linear operators (Add, Reshape, Concat, ...). These uses keep activations alive,
// which is what training costs in memory. At an output of the model the mirror reads the output
// itself: the loss is taken to be computed there. Each mirror takes v's own operations once per
// gradient.
//
// A weight that several operators share is tied or untied. Tied, it is held by the first of them,
// and so is its update: the others, matrix products of the same group with one operand, send their
// part without bytes of its own (it is summed in place). A Gather changes only the rows that it
// read.
//
// Untied, it is a node w of its own, whose users read a tensor of role kWeight and may be anywhere.
// The update, w/update, lives with w. Every user adds its part of the gradient to the sum of the
// users after it, last user first, and hands it on:
//   sum_i = sum_(i+1) + part_i   made by v_i/weight-grad, of role kGradientSum;   sum_1 to w/update
// A sum crosses only where two users in a row are on different devices, so a device with a stretch
// of users (steps of a layer, say) sends one tensor, whatever their number, and no device ever has
// more than one part beside the sum. Stretches that alternate between devices pay for each change.
//
// Forward nodes keep their ids. O(V + E).
#pragma once

#include "berth/base/enum_words.h"
#include "berth/graph/graph.h"

namespace berth {

enum class Optimizer { kSgd, kAdam };
template <>
struct OptionNames<Optimizer> {
  static constexpr std::array values{std::pair{"sgd", Optimizer::kSgd},
                                     std::pair{"adam", Optimizer::kAdam}};
};

Graph with_backward_pass(const Graph& forward, Optimizer optimizer = Optimizer::kSgd);

}  // namespace berth
