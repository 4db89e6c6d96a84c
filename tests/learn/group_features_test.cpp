#include "berth/learn/group_features.h"

#include <cmath>

#include <doctest/doctest.h>

#include "tests/support/sketch.h"

namespace berth {
namespace {

// a -> b -> c, and a -> c; b's tensor is the larger one.
Problem triangle() {
  Sketch sketch("triangle", 2);
  const NodeId a = sketch.node("a", {1, 1}), b = sketch.node("b", {1, 1});
  const NodeId c = sketch.node("c", {1, 1});
  sketch.tensor(a, 3, {b, c});
  sketch.tensor(b, 7, {c});
  return sketch.build();
}

TEST_CASE("output shapes are of what leaves a group, largest first") {
  const Problem problem = triangle();
  const PolicyGraph graph = policy_graph(problem, Colocation::kUnits);
  IdVector<NodeId, std::uint32_t> group_of = graph.set_of;
  const FeatureMatrix apart = output_shapes(problem.graph(), group_of, 3);
  REQUIRE(apart.rows == 3);
  REQUIRE(apart.columns == 25);
  // Shapes are unknown here: one dimension of so many bytes.
  CHECK(apart.values[0] == doctest::Approx(std::log(4)));
  CHECK(apart.values[25] == doctest::Approx(std::log(8)));
  group_of[NodeId{1}] = 0;  // a and b together: both tensors go to c
  group_of[NodeId{2}] = 1;
  const FeatureMatrix joined = output_shapes(problem.graph(), group_of, 2);
  CHECK(joined.values[0] == doctest::Approx(std::log(8)));
  CHECK(joined.values[5] == doctest::Approx(std::log(4)));
  group_of[NodeId{2}] = 0;  // all together: nothing leaves
  for (const float value : output_shapes(problem.graph(), group_of, 1).values) CHECK(value == 0);
}

TEST_CASE("neighbours are told by where they stand in the order") {
  const FeatureMatrix matrix = neighbour_positions(policy_graph(triangle(), Colocation::kUnits));
  REQUIRE(matrix.columns == 20);
  CHECK(matrix.values[0] == -1);         // a has no predecessor
  CHECK(matrix.values[10] == 0.5F);      // its successors are b, in the middle,
  CHECK(matrix.values[11] == 1.0F);      // and c, the last
  CHECK(matrix.values[2 * 20] == 0.0F);  // c's predecessors: a
  CHECK(matrix.values[2 * 20 + 1] == 0.5F);
  CHECK(matrix.values[2 * 20 + 10] == -1);
}

TEST_CASE("rows of sets add up by group, edges are counted between groups, empty ones are zero") {
  const PolicyGraph graph = policy_graph(triangle(), Colocation::kUnits);
  const Groups groups{{0, 2, 2}, 3};
  const FeatureMatrix sums = group_sums({3, 2, {1, 2, 3, 4, 5, 6}}, groups);
  CHECK(sums.values == std::vector<float>{1, 2, 0, 0, 8, 10});
  CHECK(edges_between(graph, groups).values == std::vector<float>{0, 0, 2, 0, 0, 0, 0, 0, 0});
  FeatureMatrix scaled = sums;
  scale_rows(scaled);
  CHECK(scaled.values[1] == doctest::Approx(2.0 / 3));
  CHECK(scaled.values[2] == 0);
  CHECK(scaled.values[4] == doctest::Approx(8.0 / 11));
}

}  // namespace
}  // namespace berth
