// Floating-point operations of one run of an operator, from its shapes.
//
// A multiplication and an addition are one each, so a matrix product of m x k and k x n takes
// 2 m k n. A function of one number (exp, erf, tanh) is one. Operators that only move data
// (Reshape, Transpose, Gather, Concat, Convert, ...) take none. Per output element y, with x for an
// element of the first input:
//
//   Convolution              2 * input channels of its group * kernel size
//   ConvolutionBackpropData  the same per x, with output channels
//   MatMul                   2 * length of the summed dimension
//   attention                queries x keys: 2 * width, softmax 5, times values: 2 * width
//   LSTM, GRU, RNN           gates (4, 3, 1) of width h: 2 (inputs + h) each per step, and the
//                            pointwise rest
//   MaxPool, AvgPool         kernel size
//   Reduce*                  one per x
//   Softmax 5, LogSoftmax 5, MVN 5, BatchNormInference 2, NormalizeL2 3, Gelu 5, Swish 2, ...
//   other                    one: pointwise operators
//
// A loop takes its body times its iterations; a branch the larger of its bodies.
#pragma once

#include <openvino/openvino.hpp>

namespace berth {

double flops(const ov::Node& op);

}  // namespace berth
