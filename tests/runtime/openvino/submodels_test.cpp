#include "berth/modules/build_config.h"

#if BERTH_HAS_OPENVINO

#include <set>

#include <doctest/doctest.h>
#include <openvino/op/assign.hpp>
#include <openvino/op/read_value.hpp>
#include <openvino/op/util/variable.hpp>

#include "berth/base/error.h"
#include "berth/runtime/openvino/submodels.h"
#include "tests/support/branched_model.h"

using namespace berth;
using namespace ov::op;

namespace {

NodeId called(const OpenvinoModel& model, const std::string& name) {
  const auto node = model.find(name);
  REQUIRE(node);
  return *node;
}

}  // namespace

TEST_CASE("a piece takes what comes from outside and gives what is used outside") {
  const OpenvinoModel model("branched", branched_model());
  // The stem is used by two convolutions and the skip: one output, however many users.
  const SubModel stem = cut_out(model, std::vector{called(model, "stem")});
  REQUIRE(stem.inputs.size() == 1);
  REQUIRE(stem.outputs.size() == 1);
  CHECK(stem.outputs[0].get_node()->get_friendly_name() == "stem");
  CHECK(stem.model->get_parameters().size() == 1);
  CHECK(stem.model->input(0).get_shape() == ov::Shape{1, 8, 12, 12});
}

TEST_CASE("constants and their decompression are copied into each piece that uses them") {
  const OpenvinoModel model("branched", branched_model());
  const SubModel piece = cut_out(model, std::vector{called(model, "scores")});
  CHECK(piece.inputs.size() == 1);  // not the weights
  std::set<std::string> types;
  for (const auto& op : piece.model->get_ops()) types.insert(op->get_type_name());
  CHECK(types == std::set<std::string>{"Constant", "Convert", "MatMul", "Parameter", "Result"});
}

TEST_CASE("all operators together are the whole model") {
  const OpenvinoModel model("branched", branched_model());
  std::vector<NodeId> all;
  for (const NodeId node : model.graph().nodes()) all.push_back(node);
  const SubModel piece = cut_out(model, all);
  CHECK(piece.inputs.size() == 1);
  CHECK(piece.outputs.size() == 2);
  const std::vector<const SubModel*> pieces{&piece};
  const Wiring wiring = wire(model, pieces);
  CHECK(wiring.inputs[0][0].kind == TensorSource::Kind::kModelInput);
  // Outputs of pieces follow the operators, those of the model its Results: "scores" comes last in
  // the piece and first in the model.
  CHECK(wiring.outputs[0].port == 1);
  CHECK(wiring.outputs[1].port == 0);
}

TEST_CASE("outputs that no operator computes come from the input or a constant") {
  const auto x = std::make_shared<v0::Parameter>(ov::element::f32, ov::PartialShape(ov::Shape{2}));
  const auto one = v0::Constant::create(ov::element::f32, {2}, {3.0F, 5.0F});
  const auto tanh = std::make_shared<v0::Tanh>(x);
  const OpenvinoModel model("through", std::make_shared<ov::Model>(ov::OutputVector{x, one, tanh},
                                                                   ov::ParameterVector{x}));
  std::vector<NodeId> all;
  for (const NodeId node : model.graph().nodes()) all.push_back(node);
  const SubModel piece = cut_out(model, all);
  const std::vector<const SubModel*> pieces{&piece};
  const Wiring wiring = wire(model, pieces);
  CHECK(wiring.outputs[0].kind == TensorSource::Kind::kModelInput);
  REQUIRE(wiring.outputs[1].kind == TensorSource::Kind::kConstant);
  CHECK(wiring.outputs[1].constant.data<const float>()[1] == 5.0F);
  CHECK(wiring.outputs[2].kind == TensorSource::Kind::kPiece);
}

TEST_CASE("a model with state runs only whole") {
  const auto x = std::make_shared<v0::Parameter>(ov::element::f32, ov::PartialShape(ov::Shape{2}));
  const auto variable = std::make_shared<ov::op::util::Variable>(
      ov::op::util::VariableInfo{ov::PartialShape{2}, ov::element::f32, "memory"});
  const auto before = std::make_shared<v6::ReadValue>(
      v0::Constant::create(ov::element::f32, {2}, {0.0F, 0.0F}), variable);
  const auto sum = std::make_shared<v1::Add>(before, x);
  const auto after = std::make_shared<v6::Assign>(sum, variable);
  const OpenvinoModel model(
      "state", std::make_shared<ov::Model>(ov::ResultVector{std::make_shared<v0::Result>(sum)},
                                           ov::SinkVector{after}, ov::ParameterVector{x}));
  CHECK_THROWS_WITH_AS(cut_out(model, std::vector{called(model, sum->get_friendly_name())}),
                       "state: keeps state between requests, so it runs only whole, on one device",
                       Error);
}

#endif
