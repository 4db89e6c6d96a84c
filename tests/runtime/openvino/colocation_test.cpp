#include "berth/modules/build_config.h"

#if BERTH_HAS_OPENVINO

#include <map>

#include <doctest/doctest.h>
#include <openvino/op/ops.hpp>

#include "berth/graph/graph.h"
#include "berth/runtime/openvino/colocation.h"

using namespace berth;
using namespace ov::op;

namespace {

using Value = ov::Output<ov::Node>;

template <class Op, class... Arguments>
Value make(const std::string& name, Arguments&&... arguments) {
  auto op = std::make_shared<Op>(std::forward<Arguments>(arguments)...);
  op->set_friendly_name(name);
  return op->output(0);
}

Value weight(ov::Shape shape) {
  return v0::Constant::create(ov::element::f32, shape,
                              std::vector<float>(ov::shape_size(shape), 1));
}

Value dense(const std::string& name, const Value& x, const Value& w) {
  return make<v0::MatMul>(name, x, w, false, false);
}

// Name -> group.
std::map<std::string, std::int32_t> groups(std::vector<Value> outputs, const Value& x) {
  const auto parameter = ov::as_type_ptr<v0::Parameter>(x.get_node_shared_ptr());
  const ov::Model model(ov::OutputVector(outputs.begin(), outputs.end()),
                        ov::ParameterVector{parameter});
  const Operators operators = running_operators(model);
  const IdVector<NodeId, std::int32_t> found = colocation_groups(operators);
  std::map<std::string, std::int32_t> result;
  for (const NodeId node : operators.ops.ids())
    result[operators.ops[node]->get_friendly_name()] = found[node];
  return result;
}

Value input() { return make<v0::Parameter>("x", ov::element::f32, ov::PartialShape{4, 8}); }

}  // namespace

TEST_CASE("a product, its bias and its activation stay together") {
  const Value x = input();
  const Value product = dense("product", x, weight({8, 8}));
  const Value bias = make<v1::Add>("bias", product, weight({8}));
  const Value gelu = make<v7::Gelu>("gelu", bias);
  const Value next = dense("next", gelu, weight({8, 8}));
  auto group = groups({next}, x);
  CHECK(group["product"] != kNoGroup);
  CHECK(group["bias"] == group["product"]);
  CHECK(group["gelu"] == group["product"]);
  CHECK(group["next"] == kNoGroup);
}

TEST_CASE("a result that others use too is where a chain ends") {
  const Value x = input();
  const Value product = dense("product", x, weight({8, 8}));
  const Value relu = make<v0::Relu>("relu", product);
  const Value other = make<v0::Tanh>("other", product);
  auto group = groups({relu, other}, x);
  CHECK(group["relu"] == kNoGroup);
  CHECK(group["other"] == kNoGroup);
  // The same holds when the model gives it back.
  const Value y = input();
  const Value seen = dense("seen", y, weight({8, 8}));
  CHECK(groups({seen, make<v0::Relu>("after", seen)}, y)["after"] == kNoGroup);
}

TEST_CASE("a residual sum joins the product at the end of the longer way") {
  const Value x = input();
  const Value shortcut = dense("shortcut", x, weight({8, 8}));
  const Value first = dense("first", x, weight({8, 8}));
  const Value relu = make<v0::Relu>("relu", first);
  const Value branch = dense("branch", relu, weight({8, 8}));
  const Value sum = make<v1::Add>("sum", branch, shortcut);
  const Value out = make<v0::Relu>("out", sum);
  auto group = groups({out}, x);
  CHECK(group["sum"] == group["branch"]);
  CHECK(group["out"] == group["branch"]);
  CHECK(group["sum"] != kNoGroup);
  CHECK(group["shortcut"] != group["sum"]);
  CHECK(group["first"] == group["relu"]);
  CHECK(group["first"] != group["branch"]);
}

TEST_CASE("a sum of two values that are no products stands alone") {
  const Value x = input();
  const Value a = make<v8::Softmax>("a", x, 1), b = make<v8::Softmax>("b", x, 0);
  CHECK(groups({make<v1::Add>("sum", a, b)}, x)["sum"] == kNoGroup);
}

TEST_CASE("operators that share a large constant stay together, a small one is copied") {
  const Value x = input();
  const Value large = weight({8, 1024}), small = weight({8});
  const Value a = dense("a", x, large);
  const Value far = make<v8::Softmax>("far", x, 1);
  const Value b = dense("b", far, large);
  const Value c = make<v1::ReduceMean>("c", make<v1::Multiply>("scale1", x, small),
                                       v0::Constant::create(ov::element::i64, {1}, {1}), false);
  const Value d = make<v1::Multiply>("scale2", far, small);
  auto group = groups({a, b, c, d}, x);
  CHECK(group["a"] != kNoGroup);
  CHECK(group["a"] == group["b"]);
  CHECK(group["scale1"] == kNoGroup);
  CHECK(group["scale2"] == kNoGroup);
}

TEST_CASE("tied weights are found behind their decompression") {
  const Value x = input();
  const Value stored =
      v0::Constant::create(ov::element::f16, {8, 2048}, std::vector<float>(8 * 2048, 1));
  const Value a = dense("a", x, make<v0::Convert>("first", stored, ov::element::f32));
  const Value b = dense("b", make<v8::Softmax>("far", x, 1),
                        make<v0::Convert>("second", stored, ov::element::f32));
  auto group = groups({a, b}, x);
  CHECK(group["a"] != kNoGroup);
  CHECK(group["a"] == group["b"]);
}

TEST_CASE("what reads and what writes one state stay together") {
  const Value x = input();
  const auto variable = std::make_shared<ov::op::util::Variable>(
      ov::op::util::VariableInfo{ov::PartialShape{4, 8}, ov::element::f32, "cache"});
  const Value before = make<v6::ReadValue>("before", x, variable);
  const Value far = make<v8::Softmax>("far", make<v1::Add>("sum", before, x), 1);
  const auto after = std::make_shared<v6::Assign>(far, variable);
  after->set_friendly_name("after");
  const ov::Model model(
      ov::OutputVector{far}, ov::SinkVector{after},
      ov::ParameterVector{ov::as_type_ptr<v0::Parameter>(x.get_node_shared_ptr())});
  const Operators operators = running_operators(model);
  const IdVector<NodeId, std::int32_t> found = colocation_groups(operators);
  std::map<std::string, std::int32_t> group;
  for (const NodeId node : operators.ops.ids())
    group[operators.ops[node]->get_friendly_name()] = found[node];
  REQUIRE(group.contains("after"));
  CHECK(group["before"] != kNoGroup);
  CHECK(group["before"] == group["after"]);
  CHECK(group["far"] == kNoGroup);
}

TEST_CASE("shapes and conversions go where they are used") {
  const Value x = input();
  const Value far = make<v8::Softmax>("far", x, 1);
  const Value shape = make<v3::ShapeOf>("shape", far);
  const Value reshaped =
      make<v1::Reshape>("reshaped", make<v8::Softmax>("other", x, 0), shape, false);
  const Value half = make<v0::Convert>("half", reshaped, ov::element::f16);
  const Value end = make<v8::Softmax>("end", half, 1);
  auto group = groups({end}, x);
  CHECK(group["shape"] == group["reshaped"]);
  CHECK(group["shape"] != kNoGroup);
  CHECK(group["half"] == group["end"]);
  CHECK(group["far"] == kNoGroup);
}

#endif
