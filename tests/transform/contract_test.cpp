#include "berth/transform/contract.h"

#include <algorithm>
#include <vector>

#include <doctest/doctest.h>

#include "tests/support/effort.h"
#include "tests/support/fixtures.h"
#include "tests/support/sketch.h"

using namespace berth;

namespace {

std::vector<NodeId> members(const Coarsening& coarsening, NodeId coarse) {
  const std::span<const NodeId> span = coarsening.members_of[coarse];
  return {span.begin(), span.end()};
}

// What must hold for any contraction, whatever its clusters are.
void check_faithful(const Problem& fine, const Coarsening& map) {
  const Problem& coarse = map.problem;
  CHECK(coarse.model() == fine.model());
  Bytes fine_weights{0}, coarse_weights{0};
  for (const NodeId node : fine.graph().nodes()) fine_weights += fine.graph().node(node).weights;
  for (const NodeId cluster : coarse.graph().nodes()) {
    coarse_weights += coarse.graph().node(cluster).weights;
    Bytes workspace{0};
    for (const NodeId member : map.members_of[cluster]) {
      CHECK(map.coarse_of[member] == cluster);
      workspace = std::max(workspace, fine.graph().node(member).workspace);
    }
    CHECK(coarse.graph().node(cluster).workspace == workspace);
    for (const DeviceId device : fine.devices()) {
      double sum = 0;
      for (const NodeId member : map.members_of[cluster]) sum += fine.time(member, device).count();
      const double time = coarse.time(cluster, device).count();
      CHECK((time == sum || time == doctest::Approx(sum).epsilon(1e-12)));  // the first: infinity
    }
  }
  CHECK(coarse_weights == fine_weights);

  // Tensors with a consumer in another cluster, or with none, survive in order.
  std::size_t kept = 0;
  for (const TensorId tensor : fine.graph().tensors()) {
    const NodeId producer = map.coarse_of[fine.graph().producer(tensor)];
    std::vector<NodeId> outside;
    for (const NodeId consumer : fine.graph().consumers(tensor))
      if (map.coarse_of[consumer] != producer &&
          std::find(outside.begin(), outside.end(), map.coarse_of[consumer]) == outside.end())
        outside.push_back(map.coarse_of[consumer]);
    if (outside.empty() && !fine.graph().consumers(tensor).empty()) continue;
    const auto now = static_cast<TensorId>(kept++);
    CHECK(coarse.graph().producer(now) == producer);
    const std::span<const NodeId> users = coarse.graph().consumers(now);
    CHECK(std::vector<NodeId>(users.begin(), users.end()) == outside);
    CHECK(coarse.graph().tensor(now) == fine.graph().tensor(tensor));
    for (const DeviceId a : fine.devices())
      for (const DeviceId b : fine.devices())
        CHECK(coarse.transfer(now, a, b).count() ==
              doctest::Approx(fine.transfer(tensor, a, b).count()).epsilon(1e-12));
  }
  CHECK(coarse.graph().tensor_count() == kept);
}

}  // namespace

TEST_CASE("a co-location group becomes one node with the sum of its times") {
  Sketch sketch("pair", 2);
  const NodeId a = sketch.node("a", {1, 2}), b = sketch.node("b", {3, 4}),
               c = sketch.node("c", {5, 6});
  sketch.tensor(a, 10, {b});
  sketch.tensor(b, 20, {c});
  sketch.at(a).group = sketch.at(b).group = 7;
  sketch.at(a).weights = Bytes{100}, sketch.at(b).weights = Bytes{11};
  sketch.at(a).workspace = Bytes{4}, sketch.at(b).workspace = Bytes{9};
  const Coarsening map = contract_units(sketch.build());
  REQUIRE(map.problem.node_count() == 2);
  CHECK(map.problem.time(NodeId{0}, DeviceId{1}) == Duration{6});
  CHECK(map.problem.graph().node(NodeId{0}).weights == Bytes{111});
  CHECK(map.problem.graph().node(NodeId{0}).workspace == Bytes{9});
  CHECK(map.problem.graph().node(NodeId{0}).group == kNoGroup);  // nothing left to tie
  REQUIRE(map.problem.graph().tensor_count() == 1);              // a's tensor has vanished
  CHECK(map.problem.transfer(TensorId{0}, DeviceId{0}, DeviceId{1}) == Duration{20});
}

TEST_CASE("a problem without units of several nodes is its own contraction") {
  const Problem& problem = fixtures::small_problem("fork-join");
  REQUIRE(problem.unit_count() == problem.node_count());
  CHECK(&contract_units(problem).problem.graph() == &problem.graph());
}

TEST_CASE("a unit of a forward node and its backward mate is split in two parts that stay tied") {
  // f1 -> f2 -> b2 -> b1 with units {f1,b1} and {f2,b2}: one node each would be a cycle.
  Sketch sketch("training", 2);
  const NodeId f1 = sketch.node("f1", {1, 1}), f2 = sketch.node("f2", {1, 1});
  const NodeId b2 = sketch.node("b2", {1, 1}), b1 = sketch.node("b1", {1, 1});
  sketch.tensor(f1, 1, {f2});
  sketch.tensor(f2, 1, {b2});
  sketch.tensor(b2, 1, {b1});
  sketch.at(b1).pass = sketch.at(b2).pass = Pass::kBackward;
  sketch.at(f1).group = sketch.at(b1).group = 1;
  sketch.at(f2).group = 2;
  sketch.constraints.together.push_back({f2, b2});
  const Coarsening map = contract_units(sketch.build());
  // {f2,b2} lies on a cycle with {f1,b1}, so both are split, although {f2,b2} alone would be fine.
  REQUIRE(map.problem.node_count() == 4);
  CHECK(map.problem.unit_count() == 2);
  CHECK(map.problem.unit_of(map.coarse_of[f1]) == map.problem.unit_of(map.coarse_of[b1]));
  CHECK(map.problem.unit_of(map.coarse_of[f2]) == map.problem.unit_of(map.coarse_of[b2]));
}

TEST_CASE("members of a part that is still on a cycle stay single nodes and stay tied") {
  // a -> b -> c with {a,c} together, all forward; {d,e} is another unit and is contracted.
  Sketch sketch("sandwich", 1);
  const NodeId a = sketch.node("a", {1}), b = sketch.node("b", {1}), c = sketch.node("c", {1});
  const NodeId d = sketch.node("d", {1}), e = sketch.node("e", {1});
  sketch.tensor(a, 1, {b});
  sketch.tensor(b, 1, {c});
  sketch.tensor(c, 1, {d});
  sketch.tensor(d, 1, {e});
  sketch.constraints.together = {{a, c}, {d, e}};
  const Coarsening map = contract_units(sketch.build());
  REQUIRE(map.problem.node_count() == 4);
  CHECK(map.coarse_of[d] == map.coarse_of[e]);
  CHECK(map.problem.unit_of(map.coarse_of[a]) == map.problem.unit_of(map.coarse_of[c]));
  CHECK(map.problem.unit_count() == 3);
}

TEST_CASE("frequencies are applied once, whether a cluster's members agree on them or not") {
  for (const double other : {4.0, 0.5}) {
    CAPTURE(other);
    Sketch sketch("experts", 2);
    const NodeId a = sketch.node("a", {1, 2}), b = sketch.node("b", {3, 4}),
                 c = sketch.node("c", {5, 6});
    sketch.tensor(a, 10, {b, c});
    sketch.tensor(b, 20, {c});
    sketch.set_links(3, 1);
    sketch.at(a).group = sketch.at(b).group = 0;
    sketch.at(a).frequency = 4;
    sketch.at(b).frequency = other;
    const Problem fine = sketch.build();
    const Coarsening map = contract_units(fine);
    REQUIRE(map.problem.node_count() == 2);
    // On d1: 4 * 2 + other * 4. a's tensor: 4 * (3 + 10); b's: other * (3 + 20).
    CHECK(map.problem.time(NodeId{0}, DeviceId{1}).count() == doctest::Approx(8 + 4 * other));
    CHECK(map.problem.transfer(TensorId{0}, DeviceId{0}, DeviceId{1}).count() ==
          doctest::Approx(52));
    CHECK(map.problem.transfer(TensorId{1}, DeviceId{1}, DeviceId{0}).count() ==
          doctest::Approx(23 * other));
    check_faithful(fine, map);
  }
}

TEST_CASE("nodes join their sole consumer, forks stay") {
  //      -> b -> c -.
  //    a             -> e -> f     b, c, d and e join f; a feeds two branches and stays.
  //      -> d ------'
  Sketch sketch("fork", 1);
  std::vector<NodeId> n;
  for (const char* name : {"a", "b", "c", "d", "e", "f"}) n.push_back(sketch.node(name, {1}));
  sketch.tensor(n[0], 1, {n[1], n[3]});
  sketch.tensor(n[1], 1, {n[2]});
  sketch.tensor(n[2], 1, {n[4]});
  sketch.tensor(n[3], 1, {n[4]});
  sketch.tensor(n[4], 1, {n[5]});
  const Coarsening map = contract_sole_consumers(sketch.build());
  REQUIRE(map.problem.node_count() == 2);
  CHECK(members(map, NodeId{0}) == std::vector<NodeId>{n[0]});
  CHECK(members(map, NodeId{1}) == std::vector<NodeId>{n[1], n[2], n[3], n[4], n[5]});
}

TEST_CASE("a node does not join a consumer with which no device could hold it") {
  Sketch sketch("conflict", 2);
  std::vector<NodeId> n;
  for (const char* name : {"a", "b", "c", "d", "e"}) n.push_back(sketch.node(name, {1, 1}));
  for (std::size_t i = 0; i + 1 < n.size(); ++i) sketch.tensor(n[i], 1, {n[i + 1]});
  sketch.constraints.pin = {{n[0], DeviceId{0}}, {n[1], DeviceId{1}}};  // a and b: no common device
  sketch.constraints.apart = {{n[1], n[2]}};                            // b, c: apart
  sketch.at(n[3]).weights = sketch.at(n[4]).weights = Bytes{60};        // d and e: too heavy
  sketch.set_memory(0, 100);
  sketch.set_memory(1, 100);
  const Coarsening map = contract_sole_consumers(sketch.build());
  // c is in an apart set, so it does not join d either.
  CHECK(map.problem.node_count() == 5);
}

TEST_CASE("an expanded order runs each cluster in one go") {
  Sketch sketch("order", 2);
  const NodeId a = sketch.node("a", {1, 1}), b = sketch.node("b", {1, 1});
  const NodeId c = sketch.node("c", {1, 1}), d = sketch.node("d", {1, 1});
  sketch.tensor(c, 1, {a});  // topological within {a,c}: c, then a
  sketch.at(a).group = sketch.at(c).group = 0;
  sketch.at(b).group = sketch.at(d).group = 1;
  const Coarsening map = contract_units(sketch.build());
  const Placement fine = expand(map, placed({1, 0}, {NodeId{1}, NodeId{0}}));
  CHECK(fine == placed({1, 0, 1, 0}, {b, d, c, a}));
}

TEST_CASE("contractions of random problems keep times, memory, tensors and rules") {
  Rng rng(11);
  for (int round = 0; round < effort(600); ++round) {
    CAPTURE(round);
    const Problem fine = fixtures::random_problem(rng, {.min_nodes = 2, .max_nodes = 14});
    const Coarsening units = contract_units(fine);
    check_faithful(fine, units);
    const Coarsening groups = contract_sole_consumers(units.problem);
    check_faithful(units.problem, groups);
    for (const NodeId node : fine.graph().nodes())  // contracting units decides nothing
      for (const DeviceId device : fine.devices())
        CHECK(units.problem.allows(units.coarse_of[node], device) == fine.allows(node, device));
    CHECK(units.problem.unit_count() == fine.unit_count());

    Placement coarse = fixtures::random_placement(rng, groups.problem);
    coarse.order = fixtures::random_order(rng, groups.problem.graph());
    if (broken_rule(groups.problem, coarse)) continue;  // an apart set, which nobody looked at
    const Placement spread = expand(units, expand(groups, coarse));
    CHECK(broken_rule(fine, spread).value_or("") == "");
  }
}
