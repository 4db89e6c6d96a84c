#include "berth/graph/graph.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "berth/base/error.h"
#include "tests/support/fixtures.h"

using namespace berth;

namespace {

Node named(const std::string& name) {
  Node node;
  node.name = name;
  return node;
}

Tensor sized(std::int64_t bytes) {
  Tensor tensor;
  tensor.size = Bytes{bytes};
  return tensor;
}

std::vector<NodeId> list(std::span<const NodeId> nodes) { return {nodes.begin(), nodes.end()}; }
std::vector<TensorId> list(std::span<const TensorId> tensors) {
  return {tensors.begin(), tensors.end()};
}

// The message of the Error that building throws; empty when it does not.
std::string complaint(GraphBuilder builder) {
  try {
    std::move(builder).build();
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

bool mentions(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

// The message for one node changed in one way.
template <class Change>
std::string complaint_about(const Change& change) {
  GraphBuilder builder;
  builder.add_node(named("good"));
  Node node = named("culprit");
  change(node);
  builder.add_node(node);
  return complaint(std::move(builder));
}

}  // namespace

TEST_CASE("a graph answers with the neighbourhoods that the builder was told") {
  GraphBuilder builder;
  const NodeId a = builder.add_node(named("a")), b = builder.add_node(named("b"));
  const NodeId c = builder.add_node(named("c"));
  const TensorId ab = builder.add_tensor(a, sized(4));
  const TensorId bc = builder.add_tensor(b, sized(8));
  const TensorId ac = builder.add_tensor(a, sized(2));
  builder.add_use(ab, c);
  builder.add_use(bc, c);
  builder.add_use(ac, c);
  builder.add_use(ab, b);
  builder.add_use(ab, c);  // said twice, counted once
  const Graph graph = std::move(builder).build();

  CHECK(graph.node_count() == 3);
  CHECK(graph.tensor_count() == 3);
  CHECK(graph.edge_count() == 4);
  CHECK(graph.producer(ac) == a);
  CHECK(graph.tensor(bc).size == Bytes{8});
  CHECK(list(graph.consumers(ab)) == std::vector{c, b});  // as they were added
  CHECK(list(graph.outputs(a)) == std::vector{ab, ac});
  CHECK(graph.outputs(c).empty());
  std::vector<TensorId> inputs = list(graph.inputs(c));
  std::sort(inputs.begin(), inputs.end());
  CHECK(inputs == std::vector{ab, bc, ac});
  CHECK(list(graph.successors(a)) == std::vector{b, c});  // c once, though two tensors lead there
  CHECK(list(graph.predecessors(c)) == std::vector{a, b});
  CHECK(graph.predecessors(a).empty());
}

TEST_CASE("the topological order follows node ids where it may") {
  // 3 -> 0, 2 -> 1: by smallest ready id that is 2, 1, 3, 0.
  GraphBuilder builder;
  for (const char* name : {"a", "b", "c", "d"}) builder.add_node(named(name));
  builder.add_use(builder.add_tensor(NodeId{3}, sized(1)), NodeId{0});
  builder.add_use(builder.add_tensor(NodeId{2}, sized(1)), NodeId{1});
  const Graph graph = std::move(builder).build();
  CHECK(list(graph.topological_order()) == std::vector{NodeId{2}, NodeId{1}, NodeId{3}, NodeId{0}});
}

TEST_CASE("random graphs: orders, inputs and outputs, successors and predecessors agree") {
  Rng rng(11);
  for (int round = 0; round < 300; ++round) {
    const Problem problem = fixtures::random_problem(rng, {.max_nodes = 12});
    const Graph& graph = problem.graph();
    std::vector<std::size_t> position(graph.node_count());
    REQUIRE(graph.topological_order().size() == graph.node_count());
    for (std::size_t i = 0; i < graph.node_count(); ++i)
      position[index(graph.topological_order()[i])] = i;
    std::size_t edges = 0;
    for (const TensorId tensor : graph.tensors()) {
      const NodeId u = graph.producer(tensor);
      REQUIRE(std::ranges::count(graph.outputs(u), tensor) == 1);
      for (const NodeId v : graph.consumers(tensor)) {
        ++edges;
        REQUIRE(position[index(u)] < position[index(v)]);
        REQUIRE(std::ranges::count(graph.inputs(v), tensor) == 1);
        REQUIRE(std::ranges::count(graph.successors(u), v) == 1);
        REQUIRE(std::ranges::count(graph.predecessors(v), u) == 1);
      }
    }
    REQUIRE(edges == graph.edge_count());
    for (const NodeId node : graph.nodes()) {
      REQUIRE(std::ranges::is_sorted(graph.successors(node)));
      REQUIRE(std::ranges::is_sorted(graph.predecessors(node)));
    }
  }
}

TEST_CASE("an empty name becomes the node's index") {
  GraphBuilder builder;
  builder.add_node(named("first"));
  builder.add_node(named(""));
  const Graph graph = std::move(builder).build();
  CHECK(graph.node(NodeId{1}).name == "1");
}

TEST_CASE("a cycle is rejected and its nodes are named") {
  GraphBuilder builder;
  for (const char* name : {"before", "left", "right", "after"}) builder.add_node(named(name));
  const auto edge = [&](std::uint32_t from, std::uint32_t to) {
    builder.add_use(builder.add_tensor(NodeId{from}, sized(1)), NodeId{to});
  };
  edge(0, 1);
  edge(1, 2);
  edge(2, 1);
  edge(2, 3);
  const std::string message = complaint(std::move(builder));
  CHECK(mentions(message, "cycle"));
  CHECK(mentions(message, "left"));
  CHECK(mentions(message, "right"));
  CHECK_FALSE(mentions(message, "before"));
  CHECK_FALSE(mentions(message, "after"));
}

TEST_CASE("a node that uses its own tensor is a cycle") {
  GraphBuilder builder;
  const NodeId self = builder.add_node(named("ouroboros"));
  builder.add_use(builder.add_tensor(self, sized(1)), self);
  CHECK(mentions(complaint(std::move(builder)), "ouroboros"));
}

TEST_CASE("a duplicate name is rejected and told") {
  GraphBuilder builder;
  builder.add_node(named("twin"));
  builder.add_node(named("single"));
  builder.add_node(named("twin"));
  const std::string message = complaint(std::move(builder));
  CHECK(mentions(message, "twin"));
  CHECK_FALSE(mentions(message, "single"));
}

TEST_CASE("an index that takes the place of an empty name may not clash") {
  GraphBuilder builder;
  builder.add_node(named("1"));
  builder.add_node(named(""));
  CHECK(mentions(complaint(std::move(builder)), "1"));
}

TEST_CASE("tensors and uses of unknown nodes and tensors are rejected") {
  // The mistake may be reported when it is made or when the graph is built, but always as Error.
  const auto rejects = [](const auto& mistake) {
    try {
      GraphBuilder builder;
      builder.add_node(named("a"));
      builder.add_tensor(NodeId{0}, sized(1));
      mistake(builder);
      std::move(builder).build();
    } catch (const Error&) {
      return true;
    }
    return false;
  };
  CHECK(rejects([](GraphBuilder& builder) { builder.add_tensor(NodeId{9}, sized(1)); }));
  CHECK(rejects([](GraphBuilder& builder) { builder.add_use(TensorId{7}, NodeId{0}); }));
  CHECK(rejects([](GraphBuilder& builder) { builder.add_use(TensorId{0}, NodeId{3}); }));
}

TEST_CASE("negative and non-finite numbers are rejected with the node's name") {
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  constexpr double kInfinite = std::numeric_limits<double>::infinity();
  for (const double wrong : {-1.0, kNan, kInfinite, -kInfinite}) {
    CHECK(mentions(complaint_about([&](Node& node) { node.flops = wrong; }), "culprit"));
    CHECK(mentions(complaint_about([&](Node& node) { node.frequency = wrong; }), "culprit"));
  }
  CHECK(mentions(complaint_about([](Node& node) { node.weights = Bytes{-1}; }), "culprit"));
  CHECK(mentions(complaint_about([](Node& node) { node.workspace = Bytes{-1}; }), "culprit"));
  CHECK(complaint_about([](Node& node) { node.flops = 0; }).empty());

  GraphBuilder builder;
  builder.add_node(named("maker"));
  CHECK_THROWS_WITH_AS(
      {
        builder.add_tensor(NodeId{0}, sized(-5));
        std::move(builder).build();
      },
      doctest::Contains("maker"), Error);
}
