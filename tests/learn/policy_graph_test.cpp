#include "berth/learn/policy_graph.h"

#include <set>

#include <doctest/doctest.h>

#include "tests/support/fixtures.h"
#include "tests/support/sketch.h"

namespace berth {
namespace {

TEST_CASE("a chain is one set, a branch is not") {
  // a -> b -> {c, d} -> e -> f: a and b are a chain, e and f too.
  Sketch sketch("branch", 2);
  const NodeId a = sketch.node("a", {1, 2}), b = sketch.node("b", {1, 2});
  const NodeId c = sketch.node("c", {1, 2}), d = sketch.node("d", {1, 2});
  const NodeId e = sketch.node("e", {1, 2}), f = sketch.node("f", {1, 2});
  sketch.tensor(a, 10, {b});
  sketch.tensor(b, 20, {c, d});
  sketch.tensor(c, 30, {e});
  sketch.tensor(d, 40, {e});
  sketch.tensor(e, 50, {f});
  const PolicyGraph graph = policy_graph(sketch.build());
  REQUIRE(graph.size() == 4);
  CHECK(graph.members[0] == std::vector<NodeId>{a, b});
  CHECK(graph.members[3] == std::vector<NodeId>{e, f});
  REQUIRE(graph.edges.size() == 4);
  CHECK(graph.edges[0].bytes == 20);
  CHECK(graph.edges[3].bytes == 40);
  CHECK(graph.micros == std::vector<double>{2, 4, 1, 2, 1, 2, 2, 4});
  const Placement placement = spread(graph, std::vector<std::uint32_t>{0, 1, 0, 1});
  CHECK(gather(graph, placement) == std::vector<std::uint32_t>{0, 1, 0, 1});
  CHECK(placement.device_of[b] == DeviceId{0});
  CHECK(placement.device_of[f] == DeviceId{1});
}

TEST_CASE("units stay alone, chains join, and a lone parent takes all its children") {
  // a -> b -> {c, d} -> e -> f: c and d have one parent each, e has two.
  Sketch sketch("branch", 2);
  const NodeId a = sketch.node("a", {1, 2}), b = sketch.node("b", {1, 2});
  const NodeId c = sketch.node("c", {1, 2}), d = sketch.node("d", {1, 2});
  const NodeId e = sketch.node("e", {1, 2}), f = sketch.node("f", {1, 2});
  sketch.tensor(a, 10, {b});
  sketch.tensor(b, 20, {c, d});
  sketch.tensor(c, 30, {e});
  sketch.tensor(d, 40, {e});
  sketch.tensor(e, 50, {f});
  const Problem problem = sketch.build();
  CHECK(policy_graph(problem, Colocation::kUnits).size() == 6);
  CHECK(policy_graph(problem, Colocation::kChains).size() == 4);
  const PolicyGraph parents = policy_graph(problem, Colocation::kParents);
  REQUIRE(parents.size() == 2);
  CHECK(parents.members[0] == std::vector<NodeId>{a, b, c, d});
  CHECK(parents.members[1] == std::vector<NodeId>{e, f});
}

TEST_CASE("groups of sets are sets of a smaller graph, whose edges add up") {
  // a -> {b, c} -> d, b and c one group: 10 bytes to each, 20 and 30 back.
  Sketch sketch("diamond", 2);
  const NodeId a = sketch.node("a", {1, 2}), b = sketch.node("b", {3, 4});
  const NodeId c = sketch.node("c", {5, kNever}), d = sketch.node("d", {7, 8});
  sketch.tensor(a, 10, {b, c});
  sketch.tensor(b, 20, {d});
  sketch.tensor(c, 30, {d});
  const Problem problem = sketch.build();
  const PolicyGraph sets = policy_graph(problem, Colocation::kUnits);
  const PolicyGraph graph = contracted(problem, sets, Groups{.group_of = {0, 1, 1, 2}, .count = 3});
  REQUIRE(graph.size() == 3);
  CHECK(graph.members[1] == std::vector<NodeId>{b, c});
  CHECK(graph.successors == Adjacency{{1}, {2}, {}});
  REQUIRE(graph.edges.size() == 2);
  CHECK(graph.edges[0].bytes == 10);  // one tensor, sent once
  CHECK(graph.edges[1].bytes == 50);
  CHECK(graph.micros[2] == 8);
  CHECK(graph.may_use(1, 0));
  CHECK_FALSE(graph.may_use(1, 1));
}

TEST_CASE("a chain is cut where no device runs both ends, and where nodes must stay apart") {
  Sketch sketch("cut", 2);
  const NodeId a = sketch.node("a", {1, kNever}), b = sketch.node("b", {1, 1});
  const NodeId c = sketch.node("c", {kNever, 1}), d = sketch.node("d", {1, 1});
  sketch.tensor(a, 1, {b});
  sketch.tensor(b, 1, {c});
  sketch.tensor(c, 1, {d});
  const PolicyGraph two = policy_graph(sketch.build());
  CHECK(two.size() == 2);
  CHECK(two.members[0] == std::vector<NodeId>{a, b});
  sketch.constraints.apart = {{b, d}};
  CHECK(policy_graph(sketch.build()).size() == 4);
}

TEST_CASE("every node is in one set, sets hold units whole, and any spread keeps the hard rules") {
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    Rng rng(seed);
    const Problem problem = fixtures::random_problem(rng);
    const PolicyGraph graph = policy_graph(problem);
    std::set<NodeId> seen;
    std::vector<std::uint32_t> device_of;
    for (std::uint32_t set = 0; set < graph.size(); ++set) {
      for (const NodeId node : graph.members[set]) {
        CHECK(seen.insert(node).second);
        CHECK(graph.set_of[node] == set);
        CHECK(graph.set_of[problem.members(problem.unit_of(node)).front()] == set);
      }
      std::vector<std::uint32_t> allowed;
      for (std::uint32_t d = 0; d < graph.device_count; ++d)
        if (graph.may_use(set, d)) allowed.push_back(d);
      if (!allowed.empty()) device_of.push_back(allowed[rng.below(allowed.size())]);
    }
    CHECK(seen.size() == problem.node_count());
    if (device_of.size() == graph.size() && problem.apart().empty())
      CHECK_FALSE(broken_rule(problem, spread(graph, device_of)));
  }
}

}  // namespace
}  // namespace berth
