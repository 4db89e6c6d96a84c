#include "berth/modules/build_config.h"

#if BERTH_HAS_OPENVINO

#include <doctest/doctest.h>
#include <openvino/op/add.hpp>
#include <openvino/op/concat.hpp>
#include <openvino/op/constant.hpp>
#include <openvino/op/convert.hpp>
#include <openvino/op/gather.hpp>
#include <openvino/op/matmul.hpp>
#include <openvino/op/multiply.hpp>
#include <openvino/op/parameter.hpp>
#include <openvino/op/relu.hpp>
#include <openvino/op/reshape.hpp>
#include <openvino/op/shape_of.hpp>
#include <openvino/op/subtract.hpp>

#include "berth/runtime/openvino/model.h"

using namespace berth;
using namespace ov::op;

namespace {

std::shared_ptr<v0::Parameter> input(ov::Shape shape) {
  auto parameter = std::make_shared<v0::Parameter>(ov::element::f32, ov::PartialShape(shape));
  parameter->set_friendly_name("x");
  return parameter;
}

std::shared_ptr<ov::Node> weight(ov::element::Type type, ov::Shape shape) {
  return std::make_shared<v0::Constant>(type, shape, std::vector<float>(ov::shape_size(shape), 1));
}

template <class Op>
std::shared_ptr<Op> named(std::string name, std::shared_ptr<Op> op) {
  op->set_friendly_name(name);
  return op;
}

NodeId node_called(const Graph& graph, const std::string& name) {
  for (const NodeId node : graph.nodes())
    if (graph.node(node).name == name) return node;
  FAIL("no node is called " << name);
  return {};
}

// relu(decompress(f16 [4,8]) x [2,8]) + bias f32 [4]
std::shared_ptr<ov::Model> small_model() {
  const auto x = input({2, 8});
  const auto stored = weight(ov::element::f16, {4, 8});
  const auto w = std::make_shared<v0::Convert>(stored, ov::element::f32);
  const auto product = named("product", std::make_shared<v0::MatMul>(x, w, false, true));
  const auto sum = named("sum", std::make_shared<v1::Add>(product, weight(ov::element::f32, {4})));
  const auto relu = named("relu", std::make_shared<v0::Relu>(sum));
  return std::make_shared<ov::Model>(ov::OutputVector{relu}, ov::ParameterVector{x}, "small");
}

}  // namespace

TEST_CASE("what runs is a node, constants are its weights in the bytes of the file") {
  const OpenvinoModel model("small", small_model());
  const Graph& graph = model.graph();
  REQUIRE(graph.node_count() == 3);
  const Node& product = graph.node(node_called(graph, "product"));
  CHECK(product.op_type == "MatMul");
  CHECK(product.weights == Bytes{4 * 8 * 2});
  CHECK(product.flops == 2.0 * 2 * 4 * 8);
  CHECK(graph.node(node_called(graph, "sum")).weights == Bytes{4 * 4});
  const Tensor& made = graph.tensor(graph.outputs(node_called(graph, "product")).front());
  CHECK(made.size == Bytes{2 * 4 * 4});
  CHECK(made.shape == std::vector<std::int64_t>{2, 4});
  CHECK(made.element_type == "f32");
}

TEST_CASE("the raw view has every op of the file") {
  const OpenvinoModel model("small", small_model());
  const Graph raw = model.raw_graph();
  // x, f16, Convert, product, f32, sum, relu, Result; each but the Result has one user.
  CHECK(raw.node_count() == 8);
  CHECK(raw.edge_count() == 7);
}

TEST_CASE("a node and its operator have the same name, in clones too") {
  const OpenvinoModel model("small", small_model());
  for (const NodeId node : model.graph().nodes()) {
    CHECK(model.op(node)->get_friendly_name() == model.graph().node(node).name);
    CHECK(model.find(model.graph().node(node).name) == node);
  }
  CHECK_FALSE(model.find("x"));
  int found = 0;
  for (const auto& op : model.ov_model()->clone()->get_ops())
    found += model.find(op->get_friendly_name()) ? 1 : 0;
  CHECK(found == 3);
}

TEST_CASE("quantised weights weigh their bits, with scale and zero point") {
  // x [2,64] times (u4 [64,32] - zero point u4 [1,32]) * scale f16 [1,32]
  const auto x = input({2, 64});
  const auto to_float = [](const std::shared_ptr<ov::Node>& node) {
    return std::make_shared<v0::Convert>(node, ov::element::f32);
  };
  const auto shifted = std::make_shared<v1::Subtract>(to_float(weight(ov::element::u4, {64, 32})),
                                                      to_float(weight(ov::element::u4, {1, 32})));
  const auto w =
      std::make_shared<v1::Multiply>(shifted, to_float(weight(ov::element::f16, {1, 32})));
  const auto product = named("product", std::make_shared<v0::MatMul>(x, w, false, false));
  const OpenvinoModel model(
      "u4", std::make_shared<ov::Model>(ov::OutputVector{product}, ov::ParameterVector{x}));
  REQUIRE(model.graph().node_count() == 1);
  CHECK(model.graph().node(NodeId{0}).weights == Bytes{64 * 32 / 2 + 32 / 2 + 32 * 2});
  CHECK(model.graph().node(NodeId{0}).flops == 2.0 * 2 * 64 * 32);
}

TEST_CASE("a weight that two operators share is counted once, settings are no weights") {
  const auto x = input({2, 64});
  const auto shared = weight(ov::element::i8, {64, 64 * 8});
  const auto w = std::make_shared<v0::Convert>(shared, ov::element::f32);
  const auto a = named("a", std::make_shared<v0::MatMul>(x, w, false, false));
  const auto relu = named("relu", std::make_shared<v0::Relu>(x));
  const auto b = named("b", std::make_shared<v0::MatMul>(relu, w, false, false));
  const auto shape = v0::Constant::create(ov::element::i64, {2}, {4, 256});
  const auto view = named("view", std::make_shared<v1::Reshape>(b, shape, false));
  const OpenvinoModel model(
      "tied", std::make_shared<ov::Model>(ov::OutputVector{a, view}, ov::ParameterVector{x}));
  const Graph& graph = model.graph();
  Bytes sum{};
  for (const NodeId node : graph.nodes()) sum += graph.node(node).weights;
  CHECK(sum == Bytes{64 * 64 * 8});
  CHECK(graph.node(node_called(graph, "view")).weights == Bytes{0});
  CHECK(graph.node(node_called(graph, "a")).group == graph.node(node_called(graph, "b")).group);

  // Untied: the same operators in the same order, and the weight, which both use, behind them.
  const Graph untied = model.untied_graph();
  REQUIRE(untied.node_count() == graph.node_count() + 1);
  for (const NodeId node : graph.nodes()) {
    CHECK(untied.node(node).name == graph.node(node).name);
    CHECK(untied.node(node).weights == Bytes{0});
  }
  const auto last = static_cast<NodeId>(graph.node_count());
  CHECK(untied.node(last).name == shared->get_friendly_name());
  CHECK(untied.node(last).weights == Bytes{64 * 64 * 8});
  CHECK(untied.node(last).flops == 0);
  REQUIRE(untied.outputs(last).size() == 1);
  const TensorId sent = untied.outputs(last).front();
  CHECK(untied.tensor(sent).role == TensorRole::kWeight);
  CHECK(untied.tensor(sent).size == Bytes{64 * 64 * 8});
  CHECK(untied.consumers(sent).size() == 2);
  CHECK(untied.node(node_called(untied, "a")).group == kNoGroup);
}

TEST_CASE("a weight whose users share a device anyway is no node of its own") {
  // A product and what is added to it are fused, so that nothing is gained by parting them.
  const auto x = input({64, 64});
  const auto shared = weight(ov::element::f32, {64, 64});
  const auto product = named("product", std::make_shared<v0::MatMul>(x, shared, false, false));
  const auto sum = named("sum", std::make_shared<v1::Add>(product, shared));
  const OpenvinoModel model(
      "fused", std::make_shared<ov::Model>(ov::OutputVector{sum}, ov::ParameterVector{x}));
  CHECK(model.graph().node(NodeId{0}).weights == Bytes{64 * 64 * 4});
  CHECK(model.untied_graph() == model.graph());
}

TEST_CASE("duplicate names are made unique") {
  const auto x = input({2});
  const auto first = named("same", std::make_shared<v0::Relu>(x));
  const auto second = named("same", std::make_shared<v0::Relu>(first));
  const OpenvinoModel model(
      "twice", std::make_shared<ov::Model>(ov::OutputVector{second}, ov::ParameterVector{x}));
  CHECK(model.graph().node(NodeId{0}).name == "same");
  CHECK(model.graph().node(NodeId{1}).name == "same#2");
}

TEST_CASE("shape subgraphs fold away and stay in the raw view") {
  const auto x = input({2, 3, 4});
  const auto relu = named("relu", std::make_shared<v0::Relu>(x));
  const auto shape = std::make_shared<v3::ShapeOf>(relu);
  const auto zero = v0::Constant::create(ov::element::i64, {1}, {0});
  const auto rows =
      std::make_shared<v8::Gather>(shape, zero, v0::Constant::create(ov::element::i64, {}, {0}));
  const auto rest = v0::Constant::create(ov::element::i64, {1}, {-1});
  const auto target = std::make_shared<v0::Concat>(ov::OutputVector{rows, rest}, 0);
  const auto flat = named("flat", std::make_shared<v1::Reshape>(relu, target, false));
  const OpenvinoModel model(
      "flat", std::make_shared<ov::Model>(ov::OutputVector{flat}, ov::ParameterVector{x}));
  CHECK(model.graph().node_count() == 2);
  CHECK(model.raw_graph().node_count() == 10);
  const NodeId node = node_called(model.graph(), "flat");
  CHECK(model.graph().tensor(model.graph().outputs(node).front()).shape ==
        std::vector<std::int64_t>{2, 12});
}

#endif
