#include "berth/modules/build_config.h"

#if BERTH_HAS_OPENVINO

#include <doctest/doctest.h>
#include <openvino/op/ops.hpp>

#include "berth/runtime/openvino/batch.h"

using namespace berth;
using namespace ov::op;

namespace {

std::shared_ptr<v0::Parameter> input(ov::PartialShape shape) {
  return std::make_shared<v0::Parameter>(ov::element::f32, shape);
}

std::shared_ptr<ov::Node> reshape(const ov::Output<ov::Node>& x, std::vector<std::int64_t> shape) {
  return std::make_shared<v1::Reshape>(
      x, v0::Constant::create(ov::element::i64, {shape.size()}, shape), false);
}

}  // namespace

TEST_CASE("a new batch reaches the outputs, through Reshapes that have the old one") {
  const auto x = input({1, 6, 4});
  const auto y = reshape(x, {1, 24});
  ov::Model model(ov::OutputVector{y}, ov::ParameterVector{x});
  set_batch(model, 5);
  CHECK(model.output(0).get_shape() == ov::Shape{5, 24});
}

TEST_CASE("a Reshape that infers its batch, or joins it with another dimension, is left alone") {
  const auto x = input({2, 6, 4});
  const auto y = reshape(reshape(x, {-1, 24}), {4, -1});
  ov::Model model(ov::OutputVector{y}, ov::ParameterVector{x});
  set_batch(model, 6);
  CHECK(model.output(0).get_shape() == ov::Shape{4, 36});
}

TEST_CASE("only inputs with the batch of the first one follow, and open ones do") {
  const auto x = input({1, 4}), table = input({7, 4}), open = input({-1, 4});
  ov::Model model(
      ov::OutputVector{std::make_shared<v1::Add>(x, open), std::make_shared<v0::Relu>(table)},
      ov::ParameterVector{x, table, open});
  set_batch(model, 3);
  CHECK(model.output(0).get_shape() == ov::Shape{3, 4});
  CHECK(model.output(1).get_shape() == ov::Shape{7, 4});
}

TEST_CASE("a batch that does not fit is refused") {
  const auto x = input({1, 4});
  const auto y = reshape(reshape(x, {4, 1}), {2, 2});
  ov::Model model(ov::OutputVector{y}, ov::ParameterVector{x});
  CHECK_THROWS(set_batch(model, 3));
}

#endif
