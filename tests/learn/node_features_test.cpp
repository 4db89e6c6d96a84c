#include "berth/learn/node_features.h"

#include <cmath>

#include <doctest/doctest.h>

#include "tests/support/sketch.h"

namespace berth {
namespace {

// a -> {b, c} -> d, four sets of one node.
Sketch diamond() {
  Sketch sketch("diamond", 2);
  const NodeId a = sketch.node("a", {1, 2}), b = sketch.node("b", {3, 4});
  const NodeId c = sketch.node("c", {5, 6}), d = sketch.node("d", {7, 8});
  sketch.at(a).op_type = "Parameter";
  sketch.at(b).op_type = sketch.at(c).op_type = "Add";
  sketch.at(d).op_type = "Result";
  sketch.tensor(a, 10, {b, c});
  sketch.tensor(b, 10, {d});
  sketch.tensor(c, 10, {d});
  return sketch;
}

TEST_CASE("the paper's features: types, degrees, fractal dimension and index side by side") {
  const Problem problem = diamond().build();
  const PolicyGraph graph = policy_graph(problem);
  const std::vector<std::string> types = operator_types(problem);
  CHECK(types == std::vector<std::string>{"Add", "Parameter", "Result"});
  const FeatureMatrix matrix = paper_features(problem, graph, types);
  // 3 types, no shape, in-degrees {0, 1, 2}, out-degrees {0, 1, 2}, 1, 1
  REQUIRE(matrix.columns == 11);
  const double slope = std::log(3.0 / 2.0) / std::log(2.0);  // 2 within 1, 3 within 2
  const std::vector<float> first{0, 1, 0, 1, 0, 0, 0, 0, 1, static_cast<float>(slope), 1};
  CHECK(std::vector<float>(matrix.values.begin(), matrix.values.begin() + 11) == first);
  CHECK(paper_features(problem, graph, types, {.structure = false}).columns == 4);
  CHECK(paper_features(problem, graph, types, {.index = false}).columns == 10);
}

TEST_CASE("scaled features have mean 0, deviation 1 or 0, and stay within 5") {
  const Problem problem = diamond().build();
  const PolicyGraph graph = policy_graph(problem);
  const FeatureMatrix matrix = scaled_features(problem, graph, Duration{10});
  REQUIRE(matrix.rows == 4);
  for (std::size_t c = 0; c < matrix.columns; ++c) {
    double sum = 0, squares = 0;
    for (std::size_t r = 0; r < 4; ++r) {
      const double value = matrix.values[r * matrix.columns + c];
      CHECK(std::abs(value) <= 5);
      sum += value;
      squares += value * value;
    }
    CHECK(std::abs(sum) < 1e-5);
    CHECK((std::abs(squares - 4) < 1e-3 || squares == 0));
  }
}

TEST_CASE("scaled features do not depend on the unit of time") {
  const Problem problem = diamond().build();
  const PolicyGraph graph = policy_graph(problem);
  PolicyGraph slow = graph;
  for (double& time : slow.micros) time *= 1024;
  CHECK(scaled_features(problem, graph, Duration{10}).values ==
        scaled_features(problem, slow, Duration{10240}).values);
}

}  // namespace
}  // namespace berth
