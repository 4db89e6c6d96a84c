// A small network with everything that makes cutting hard: a fork, a join, a skip, an operator with
// two outputs, compressed weights used twice, and outputs from the middle. Needs OpenVINO.
#pragma once

#include <memory>
#include <vector>

#include <openvino/core/model.hpp>
#include <openvino/op/add.hpp>
#include <openvino/op/concat.hpp>
#include <openvino/op/constant.hpp>
#include <openvino/op/convert.hpp>
#include <openvino/op/convolution.hpp>
#include <openvino/op/matmul.hpp>
#include <openvino/op/parameter.hpp>
#include <openvino/op/reduce_mean.hpp>
#include <openvino/op/relu.hpp>
#include <openvino/op/split.hpp>
#include <openvino/op/tanh.hpp>

#include "berth/base/random.h"

namespace berth {

inline std::shared_ptr<ov::Model> branched_model(std::size_t channels = 8, std::size_t width = 12) {
  using namespace ov::op;
  Rng rng(17);
  const auto constant = [&](ov::element::Type type, ov::Shape shape) {
    std::vector<float> values(ov::shape_size(shape));
    for (float& value : values) value = static_cast<float>(0.2 * rng.normal());
    return std::make_shared<v0::Constant>(type, shape, values);
  };
  const auto convolution = [&](const ov::Output<ov::Node>& from, std::size_t in, std::size_t out) {
    return std::make_shared<v1::Convolution>(from, constant(ov::element::f32, {out, in, 3, 3}),
                                             ov::Strides{1, 1}, ov::CoordinateDiff{1, 1},
                                             ov::CoordinateDiff{1, 1}, ov::Strides{1, 1});
  };
  const auto x = std::make_shared<v0::Parameter>(
      ov::element::f32, ov::PartialShape(ov::Shape{1, channels, width, width}));
  x->set_friendly_name("x");
  const auto stem = std::make_shared<v0::Relu>(convolution(x, channels, channels));
  stem->set_friendly_name("stem");
  const auto left = std::make_shared<v0::Relu>(convolution(stem, channels, channels));
  const auto middle = std::make_shared<v0::Tanh>(convolution(stem, channels, channels));
  const auto halves =
      std::make_shared<v1::Split>(middle, v0::Constant::create(ov::element::i64, {}, {1}), 2);
  const auto joined =
      std::make_shared<v0::Concat>(ov::OutputVector{halves->output(1), left, halves->output(0)}, 1);
  const auto narrow = convolution(joined, 2 * channels, channels);
  const auto sum = std::make_shared<v1::Add>(narrow, stem);
  const auto mean =
      std::make_shared<v1::ReduceMean>(sum, v0::Constant::create(ov::element::i64, {2}, {2, 3}));
  const auto stored = constant(ov::element::f16, {channels, channels});
  const auto shared = std::make_shared<v0::Convert>(stored, ov::element::f32);
  const auto first = std::make_shared<v0::Tanh>(std::make_shared<v0::MatMul>(mean, shared));
  const auto second = std::make_shared<v0::MatMul>(first, shared);
  second->set_friendly_name("scores");
  return std::make_shared<ov::Model>(ov::OutputVector{second, left}, ov::ParameterVector{x},
                                     "branched");
}

}  // namespace berth
