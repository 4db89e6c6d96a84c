#include "berth/graph/order.h"

#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <vector>

#include <doctest/doctest.h>

#include "berth/transform/ranks.h"
#include "tests/support/fixtures.h"
#include "tests/support/sketch.h"

using namespace berth;

namespace {

// rank by the definition, recursively.
double literal_rank(const Problem& problem, NodeId v) {
  const Graph& graph = problem.graph();
  double sum = 0;
  int supporting = 0;
  for (const DeviceId device : problem.devices()) {
    if (problem.time(v, device) == kForever) continue;
    sum += problem.time(v, device).count();
    ++supporting;
  }
  double longest = 0;
  for (const TensorId tensor : graph.outputs(v)) {
    double transfers = 0;
    int pairs = 0;
    for (const DeviceId a : problem.devices())
      for (const DeviceId b : problem.devices()) {
        transfers += problem.transfer(tensor, a, b).count();
        ++pairs;
      }
    for (const NodeId s : graph.consumers(tensor))
      longest = std::max(longest, transfers / pairs + literal_rank(problem, s));
  }
  return sum / supporting + longest;
}

std::vector<std::vector<bool>> reachable(const std::vector<std::vector<std::uint32_t>>& next) {
  const std::size_t n = next.size();
  std::vector<std::vector<bool>> reach(n, std::vector<bool>(n));
  for (std::size_t v = 0; v < n; ++v)
    for (const std::uint32_t w : next[v]) reach[v][w] = true;
  for (std::size_t k = 0; k < n; ++k)
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < n; ++j)
        if (reach[i][k] && reach[k][j]) reach[i][j] = true;
  return reach;
}

}  // namespace

TEST_CASE("upward ranks of the diamond, by hand") {
  // Two devices, links 1 us per byte; of four ordered pairs two are a device with itself, so
  // cbar(t) = bytes / 2.
  // w: a (2+4)/2 = 3, b only on d1: 5, c (4+0)/2 = 2, d (1+3)/2 = 2.
  // rank(d) = 2, rank(b) = 5 + 1 + 2 = 8, rank(c) = 2 + 4 + 2 = 8,
  // rank(a) = 3 + max(2 + 8, 6 + 8) = 17.
  Sketch sketch("diamond", 2);
  const NodeId a = sketch.node("a", {2, 4}), b = sketch.node("b", {kNever, 5});
  const NodeId c = sketch.node("c", {4, 0}), d = sketch.node("d", {1, 3});
  sketch.tensor(a, 4, {b});
  sketch.tensor(a, 12, {c});
  sketch.tensor(b, 2, {d});
  sketch.tensor(c, 8, {d});
  const Problem problem = sketch.build();
  const auto rank = upward_ranks(problem);
  CHECK(rank[d].count() == doctest::Approx(2));
  CHECK(rank[b].count() == doctest::Approx(8));
  CHECK(rank[c].count() == doctest::Approx(8));
  CHECK(rank[a].count() == doctest::Approx(17));
  CHECK(mean_times(problem)[b].count() == doctest::Approx(5));
  CHECK(mean_transfers(problem)[TensorId{1}].count() == doctest::Approx(6));
  CHECK(priority_order(problem) == std::vector{a, b, c, d});  // b and c tie: topological order
}

TEST_CASE("mean transfers average the directions of asymmetric links, and staying") {
  // 4 bytes: 1 + 4 * 1 = 5 one way, 3 + 4 * 2 = 11 the other, 0 twice: 4 on average.
  Sketch sketch("pair", 2);
  const NodeId a = sketch.node("a", {1, 1}), b = sketch.node("b", {1, 1});
  sketch.tensor(a, 4, {b});
  sketch.set_link(0, 1, 1, 1);
  sketch.set_link(1, 0, 3, 2);
  CHECK(mean_transfers(sketch.build())[TensorId{0}].count() == doctest::Approx(4));
}

TEST_CASE("frequency counts in ranks: they are times per sample") {
  Sketch sketch("loop", 1);
  const NodeId a = sketch.node("a", {2});
  sketch.at(a).frequency = 3;
  CHECK(upward_ranks(sketch.build())[a].count() == doctest::Approx(6));
}

TEST_CASE("parts of one sum of gradients are equally urgent, in the order in which they add up") {
  // late (1 us) -> early (3 us) -> update (1 us), sums of 8 bytes: 4 us over a mean link of two
  // devices. early: 3 + 4 + 1. late: 1 on its own, so as urgent as early, and before it.
  Sketch sketch("sum", 2);
  const NodeId early = sketch.node("early", {3, 3}), late = sketch.node("late", {1, 1});
  const NodeId update = sketch.node("update", {1, 1});
  sketch.tensor(late, 8, {early}, TensorRole::kGradientSum);
  sketch.tensor(early, 8, {update}, TensorRole::kGradientSum);
  const auto rank = upward_ranks(sketch.build());
  CHECK(rank[early].count() == doctest::Approx(8));
  CHECK(rank[late].count() == doctest::Approx(8));
  CHECK(priority_order(sketch.build()) == std::vector{late, early, update});
}

TEST_CASE("random problems: ranks follow the definition and priority is a topological order") {
  Rng rng(12);
  for (int round = 0; round < 300; ++round) {
    const Problem problem = fixtures::random_problem(rng);
    const auto rank = upward_ranks(problem);
    for (const NodeId v : problem.graph().nodes())
      REQUIRE(rank[v].count() == doctest::Approx(literal_rank(problem, v)));
    const std::vector<NodeId> order = priority_order(problem);
    const auto at = positions(order);
    const auto topological = problem.graph().topological_order();
    const auto at_topological = positions({topological.begin(), topological.end()});
    REQUIRE(std::set(order.begin(), order.end()).size() == problem.node_count());
    for (const NodeId v : problem.graph().nodes())
      for (const NodeId s : problem.graph().successors(v)) REQUIRE(at[v] < at[s]);
    for (std::size_t i = 1; i < order.size(); ++i) {
      REQUIRE(rank[order[i - 1]] >= rank[order[i]]);
      if (rank[order[i - 1]] == rank[order[i]])
        REQUIRE(at_topological[order[i - 1]] < at_topological[order[i]]);
    }
  }
}

TEST_CASE("the critical path takes the fastest device of each node and no transfers") {
  // a 1 -> b 3 -> d 1 and a 1 -> c 2 -> d 1: 1 + 3 + 1 = 5.
  Sketch sketch("diamond", 2);
  const NodeId a = sketch.node("a", {1, 9}), b = sketch.node("b", {7, 3});
  const NodeId c = sketch.node("c", {2, kNever}), d = sketch.node("d", {4, 1});
  sketch.tensor(a, 100, {b, c});
  sketch.tensor(b, 100, {d});
  sketch.tensor(c, 100, {d});
  CHECK(critical_path(sketch.build()).count() == doctest::Approx(5));
}

TEST_CASE("positions invert an order") {
  const auto at = positions({NodeId{2}, NodeId{0}, NodeId{1}});
  CHECK(at.items() == std::vector<std::uint32_t>{1, 2, 0});
}

TEST_CASE("strongly connected components of two loops and a tail") {
  // 0 <-> 1 -> 2 <-> 3 -> 4; reverse topological numbers: {4} before {2,3} before {0,1}.
  const auto component = strongly_connected_components({{1}, {0, 2}, {3}, {2, 4}, {}});
  CHECK(component == std::vector<std::uint32_t>{2, 2, 1, 1, 0});
}

TEST_CASE("random directed graphs: components are mutual reachability, numbered backwards") {
  Rng rng(13);
  for (int round = 0; round < 500; ++round) {
    const std::size_t n = 1 + rng.below(9);
    std::vector<std::vector<std::uint32_t>> next(n);
    for (std::size_t edge = rng.below(2 * n); edge > 0; --edge)
      next[rng.below(n)].push_back(static_cast<std::uint32_t>(rng.below(n)));
    const auto component = strongly_connected_components(next);
    const auto reach = reachable(next);
    REQUIRE(component.size() == n);
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < n; ++j) {
        if (i == j) continue;
        REQUIRE((component[i] == component[j]) == (reach[i][j] && reach[j][i]));
        if (reach[i][j]) REQUIRE(component[i] >= component[j]);
      }
  }
}
