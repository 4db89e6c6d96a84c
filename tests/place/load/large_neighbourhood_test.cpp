// Large neighbourhoods: never worse, and exact where the neighbourhood is the whole problem.
#include "berth/place/load/large_neighbourhood.h"

#include <optional>

#include <doctest/doctest.h>

#include "berth/sim/evaluate.h"
#include "berth/solvers/milp.h"
#include "tests/support/brute_force.h"
#include "tests/support/effort.h"
#include "tests/support/fixtures.h"
#include "tests/support/sketch.h"

using namespace berth;

namespace {

bool no_solver() {
  if (milp_available()) return false;
  MESSAGE("skipped: this build has no integer-program solver");
  return true;
}

SlotOfUnit search(const LoadModel& model, const SlotOfUnit& start) {
  Budget budget;
  return large_neighbourhood_search(model, start, {}, budget, Rng(5));
}

}  // namespace

TEST_CASE("two swapped halves, which no single move mends, are dealt anew") {
  if (no_solver()) return;
  // Two heavy pairs joined by dear tensors, split across devices: each device holds 10 + 10 and
  // cuts both nets (100 each), 220. Any single move leaves one net cut and a load of at least 130;
  // the best is a pair per device: 20.
  Sketch sketch("pairs", 3, 1);  // the CPU runs nothing here
  NodeId node[4];
  for (int i = 0; i < 4; ++i) node[i] = sketch.node("n" + std::to_string(i), {kNever, 10, 10});
  sketch.tensor(node[0], 100, {node[1]});
  sketch.tensor(node[2], 100, {node[3]});
  sketch.model = MaxLoad{.route = Route::kHost};
  const Problem problem = sketch.build();
  const LoadModel model = load_model(problem, {.ordered = false});
  const SlotOfUnit start{0, 1, 0, 1};
  REQUIRE(value_of_slots(model, start) == doctest::Approx(220));
  const SlotOfUnit found = search(model, start);
  CHECK(value_of_slots(model, found) == doctest::Approx(20));
  CHECK(found[0] == found[1]);
  CHECK(found[2] == found[3]);
}

TEST_CASE("on two or three devices a neighbourhood is the whole problem: brute force agrees") {
  if (no_solver()) return;
  Rng rng(71);
  int compared = 0;
  for (int round = 0; round < effort(200); ++round) {
    CAPTURE(round);
    fixtures::RandomShape shape{.min_nodes = 2, .max_nodes = 7, .min_devices = 2};
    shape.execution = fixtures::ExecutionKind::kCall;
    shape.objective = Objective::kThroughput;
    const Problem problem = fixtures::random_problem(rng, shape);
    const Placement start = fixtures::random_placement(rng, problem);
    Evaluator evaluator(problem);
    if (broken_rule(problem, start) || !evaluator(start).feasible()) continue;
    if (problem.model().contiguous()) continue;  // the search is for any assignment
    const LoadModel model = load_model(problem, {.ordered = false});
    const SlotOfUnit found = search(model, slots_of_placement(model, start));
    const Placement placement = placement_of_slots(problem, model, found);
    REQUIRE_FALSE(broken_rule(problem, placement));
    REQUIRE(evaluator(placement).feasible());
    REQUIRE(evaluator(placement).value <= evaluator(start).value);
    // Programs stop within a thousandth of their best; the next round goes on from there.
    const BruteForce best = brute_force(problem, [&](const Placement& p) -> std::optional<double> {
      const Score score = evaluator(p);
      return score.feasible() ? std::optional(score.value.count()) : std::nullopt;
    });
    REQUIRE(evaluator(placement).value.count() == doctest::Approx(*best.best).epsilon(1e-5));
    ++compared;
  }
  CHECK(compared >= effort(40));
}
