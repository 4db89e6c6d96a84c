#include "berth/modules/build_config.h"

#if BERTH_HAS_OPENVINO

#include <doctest/doctest.h>
#include <openvino/op/ops.hpp>
#include <openvino/openvino.hpp>

#include "berth/runtime/openvino/flops.h"

using namespace berth;
using namespace ov::op;

namespace {

ov::Output<ov::Node> input(ov::Shape shape, ov::element::Type type = ov::element::f32) {
  return std::make_shared<v0::Parameter>(type, ov::PartialShape(shape))->output(0);
}

ov::Output<ov::Node> ints(std::vector<std::int64_t> values) {
  return v0::Constant::create(ov::element::i64, {values.size()}, values)->output(0);
}

template <class Op, class... Arguments>
double flops_of(Arguments&&... arguments) {
  return flops(*std::make_shared<Op>(std::forward<Arguments>(arguments)...));
}

const ov::Strides kOnes{1, 1};
const ov::CoordinateDiff kNone{0, 0}, kPadded{1, 1};

}  // namespace

TEST_CASE("convolutions take two operations per weight that reaches an output") {
  // 1 x 16 x 8 x 8 outputs, 3 x 3 x 3 weights each: 1024 * 27 * 2.
  CHECK(flops_of<v1::Convolution>(input({1, 3, 8, 8}), input({16, 3, 3, 3}), kOnes, kPadded,
                                  kPadded, kOnes) == 1024 * 27 * 2);
  // Stride 2: 1 x 16 x 4 x 4 outputs.
  CHECK(flops_of<v1::Convolution>(input({1, 3, 8, 8}), input({16, 3, 3, 3}), ov::Strides{2, 2},
                                  kPadded, kPadded, kOnes) == 256 * 27 * 2);
  // Depthwise, 6 groups of 1: 6 * 36 outputs of 9 weights.
  CHECK(flops_of<v1::GroupConvolution>(input({1, 6, 8, 8}), input({6, 1, 1, 3, 3}), kOnes, kNone,
                                       kNone, kOnes) == 6 * 36 * 9 * 2);
  // Transposed: each of 4 x 5 x 5 inputs reaches 7 channels of 2 x 2.
  CHECK(flops_of<v1::ConvolutionBackpropData>(input({1, 4, 5, 5}), input({4, 7, 2, 2}),
                                              ov::Strides{2, 2}, kNone, kNone,
                                              kOnes) == 100 * 28 * 2);
  // In 2 groups each input reaches 3 channels.
  CHECK(flops_of<v1::GroupConvolutionBackpropData>(input({1, 4, 5, 5}), input({2, 2, 3, 2, 2}),
                                                   ov::Strides{2, 2}, kNone, kNone,
                                                   kOnes) == 100 * 12 * 2);
}

TEST_CASE("matrix products take two operations per term, transposed or in batches") {
  CHECK(flops_of<v0::MatMul>(input({4, 8}), input({8, 5}), false, false) == 2 * 4 * 8 * 5);
  CHECK(flops_of<v0::MatMul>(input({8, 4}), input({5, 8}), true, true) == 2 * 4 * 8 * 5);
  CHECK(flops_of<v0::MatMul>(input({3, 2, 4, 8}), input({8, 5}), false, false) ==
        3 * 2 * 2 * 4 * 8 * 5);
  CHECK(flops_of<v0::MatMul>(input({8}), input({8, 5}), false, false) == 2 * 8 * 5);
  CHECK(flops_of<v7::Einsum>(ov::OutputVector{input({2, 3, 4}), input({2, 4, 5})},
                             "bij,bjk->bik") == 2 * 2 * 3 * 4 * 5);
}

TEST_CASE("attention is two products and a softmax") {
  // 2 heads, 3 queries, 5 keys, width 4, values of width 6: 30 scores.
  CHECK(flops_of<v13::ScaledDotProductAttention>(
            ov::OutputVector{input({1, 2, 3, 4}), input({1, 2, 5, 4}), input({1, 2, 5, 6})},
            false) == 30 * (2 * 4 + 5 + 2 * 6));
}

TEST_CASE("recurrent cells are one product per gate and the pointwise rest") {
  // Batch 2, 3 inputs, hidden 4.
  CHECK(flops_of<v4::LSTMCell>(input({2, 3}), input({2, 4}), input({2, 4}), input({16, 3}),
                               input({16, 4}), 4) == 2 * 4 * (4 * 2 * 7 + 13));
  CHECK(flops_of<v3::GRUCell>(input({2, 3}), input({2, 4}), input({12, 3}), input({12, 4}), 4) ==
        2 * 4 * (3 * 2 * 7 + 11));
  CHECK(flops_of<v0::RNNCell>(input({2, 3}), input({2, 4}), input({4, 3}), input({4, 4}), 4) ==
        2 * 4 * (2 * 7 + 2));
  // 6 steps in both directions.
  CHECK(flops_of<v5::LSTMSequence>(
            input({2, 6, 3}), input({2, 2, 4}), input({2, 2, 4}), input({2}, ov::element::i64),
            input({2, 16, 3}), input({2, 16, 4}), input({2, 16}), 4,
            RecurrentSequenceDirection::BIDIRECTIONAL) == 12 * 2 * 4 * (4 * 2 * 7 + 13));
}

TEST_CASE("pools take one operation per window element, reductions one per input") {
  // 2 x 3 x 3 outputs of 2 x 2 windows.
  CHECK(flops_of<v1::MaxPool>(input({1, 2, 6, 6}), ov::Strides{2, 2}, ov::Shape{0, 0},
                              ov::Shape{0, 0}, ov::Shape{2, 2}) == 18 * 4);
  CHECK(flops_of<v1::AvgPool>(input({1, 2, 6, 6}), ov::Strides{2, 2}, ov::Shape{0, 0},
                              ov::Shape{0, 0}, ov::Shape{2, 2}, false) == 18 * 4);
  CHECK(flops_of<v1::ReduceMean>(input({2, 3, 5}), ints({1}), true) == 30);
  CHECK(flops_of<v1::ReduceSum>(input({2, 3, 5}), ints({0, 1, 2}), false) == 30);
}

TEST_CASE("pointwise operators take as many as they compute, per element") {
  CHECK(flops_of<v1::Add>(input({2, 3, 4}), input({4})) == 24);
  CHECK(flops_of<v1::Multiply>(input({1}), input({2, 3})) == 6);
  CHECK(flops_of<v0::Relu>(input({2, 3})) == 6);
  CHECK(flops_of<v0::Tanh>(input({2, 3})) == 6);
  CHECK(flops_of<v7::Gelu>(input({2, 3})) == 5 * 6);
  CHECK(flops_of<v4::Swish>(input({2, 3})) == 2 * 6);
  CHECK(flops_of<v0::Clamp>(input({2, 3}), 0.0, 6.0) == 2 * 6);
  CHECK(flops_of<v8::Softmax>(input({2, 3}), 1) == 5 * 6);
  CHECK(flops_of<v6::MVN>(input({2, 3}), ints({1}), true, 1e-5F, MVNEpsMode::INSIDE_SQRT) == 5 * 6);
  // Window 5: a square and a sum each, then four.
  CHECK(flops_of<v0::LRN>(input({1, 8, 2, 2}), 1.0, 0.75, 1.0, 5) == 32 * 14);
}

TEST_CASE("what moves data computes nothing") {
  CHECK(flops_of<v1::Reshape>(input({2, 3}), ints({6}), false) == 0);
  CHECK(flops_of<v1::Transpose>(input({2, 3}), ints({1, 0})) == 0);
  CHECK(flops_of<v0::Concat>(ov::OutputVector{input({2, 3}), input({2, 3})}, 0) == 0);
  CHECK(flops_of<v0::Convert>(input({2, 3}), ov::element::f16) == 0);
  CHECK(flops_of<v8::Gather>(input({9, 3}), input({4}, ov::element::i64), ints({0})) == 0);
  CHECK(flops_of<v3::ShapeOf>(input({2, 3})) == 0);
  CHECK(flops_of<v0::Parameter>(ov::element::f32, ov::PartialShape{2, 3}) == 0);
}

TEST_CASE("resizing weighs neighbours along each dimension that changes") {
  v11::Interpolate::InterpolateAttrs attributes;
  attributes.shape_calculation_mode = v11::Interpolate::ShapeCalcMode::SIZES;
  attributes.pads_begin = attributes.pads_end = {0, 0, 0, 0};
  attributes.mode = v11::Interpolate::InterpolateMode::NEAREST;
  const auto image = input({1, 2, 3, 3});
  CHECK(flops_of<v11::Interpolate>(image, ints({6, 6}), ints({2, 3}), attributes) == 0);
  attributes.mode = v11::Interpolate::InterpolateMode::LINEAR_ONNX;
  // 2 x 6 x 6 outputs of 4 neighbours.
  CHECK(flops_of<v11::Interpolate>(image, ints({6, 6}), ints({2, 3}), attributes) == 72 * 8);
}

TEST_CASE("a loop takes its body as often as it runs") {
  const auto x = std::make_shared<v0::Parameter>(ov::element::f32, ov::PartialShape{1, 4});
  const auto body = std::make_shared<ov::Model>(ov::OutputVector{std::make_shared<v0::Relu>(x)},
                                                ov::ParameterVector{x});
  auto loop = std::make_shared<v0::TensorIterator>();
  loop->set_function(body);
  loop->set_sliced_input(x, input({6, 4}), 0, 1, 1, -1, 0);
  loop->get_concatenated_slices(body->get_results()[0], 0, 1, 1, -1, 0);
  loop->validate_and_infer_types();
  CHECK(flops(*loop) == 6 * 4);
}

#endif
