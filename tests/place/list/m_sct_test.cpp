#include "berth/place/list/m_sct.h"

#include <doctest/doctest.h>

#include "berth/place/list/sct_program.h"
#include "berth/place/registry.h"
#include "berth/sim/evaluate.h"
#include "berth/solvers/milp.h"
#include "tests/support/effort.h"
#include "tests/support/fixtures.h"
#include "tests/support/sketch.h"

using namespace berth;

namespace {

Outcome m_sct(const Problem& problem) {
  Budget budget;
  Rng rng(1);
  return run_method("m-sct", problem, budget, rng);
}

}  // namespace

TEST_CASE("the child that is dearest to reach is the favourite") {
  if (!milp_available()) return;
  // a -> b with 20 bytes, a -> c with 2; two devices, so means are 10 and 1; all nodes take 1.
  //   minimise max(2 + 10 x_ab, 2 + x_ac) with x_ab + x_ac >= 1: x_ab = 1/11, x_ac = 10/11.
  Sketch sketch("fork", 2);
  const NodeId a = sketch.node("a", {1, 1}), b = sketch.node("b", {1, 1}),
               c = sketch.node("c", {1, 1});
  sketch.tensor(a, 2, {c});
  sketch.tensor(a, 20, {b});
  const SctFavourites favourites = favourite_children(sketch.build(), Budget());
  CHECK(favourites.failure.empty());
  CHECK(favourites.child[a] == b);
  CHECK(!favourites.child[b]);
  CHECK(!favourites.child[c]);
}

TEST_CASE("a node has at most one favourite child and is the favourite of at most one parent") {
  if (!milp_available()) return;
  Rng rng(24);
  for (int round = 0; round < effort(300); ++round) {
    const Problem problem = fixtures::random_problem(rng, {.min_nodes = 4, .max_nodes = 14});
    const SctFavourites favourites = favourite_children(problem, Budget());
    REQUIRE(favourites.failure.empty());
    IdVector<NodeId, int> parents(problem.node_count(), 0);
    for (const NodeId node : problem.graph().nodes())
      if (favourites.child[node]) CHECK(++parents[*favourites.child[node]] == 1);
  }
}

TEST_CASE("a device stays awake for the favourite child of its last node") {
  if (!milp_available()) return;
  // a (1) feeds b (20 bytes) and c (2 bytes), which take 5 each; both feed x and y, so that no node
  // has a sole consumer. b follows a on d0. c may start at 1 + 2 = 3 on d1 or at 6 on d0: it goes
  // to d1, although it would be first in topological order at time 1 on d0.
  Sketch sketch("awake", 2);
  const NodeId a = sketch.node("a", {1, 1}), c = sketch.node("c", {5, 5}),
               b = sketch.node("b", {5, 5});
  const NodeId x = sketch.node("x", {1, 1}), y = sketch.node("y", {1, 1});
  sketch.tensor(a, 2, {c});
  sketch.tensor(a, 20, {b});
  sketch.tensor(b, 0, {x, y});
  sketch.tensor(c, 0, {x, y});
  sketch.constraints.pin = {{a, DeviceId{0}}};
  const Outcome outcome = m_sct(sketch.build());
  REQUIRE(outcome.placement);
  CHECK(outcome.placement->device_of[b] == DeviceId{0});
  CHECK(outcome.placement->device_of[c] == DeviceId{1});
}

TEST_CASE("m-sct obeys the rules of random problems or says why not") {
  if (!milp_available()) return;
  Rng rng(25);
  for (int round = 0; round < effort(400); ++round) {
    CAPTURE(round);
    const Problem problem = fixtures::random_problem(rng, {.min_nodes = 2, .max_nodes = 12});
    const Outcome outcome = m_sct(problem);
    CHECK(outcome.placement.has_value() == outcome.reason.empty());
    if (outcome.placement) CHECK(broken_rule(problem, *outcome.placement).value_or("") == "");
  }
}
