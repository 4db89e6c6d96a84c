#include "berth/place/block/block_dp.h"

#include <doctest/doctest.h>

#include "berth/io/read_problem.h"
#include "berth/place/registry.h"
#include "berth/place/run_placer.h"
#include "berth/sim/evaluate.h"
#include "tests/support/brute_force.h"
#include "tests/support/effort.h"
#include "tests/support/fixtures.h"
#include "tests/support/shared_data.h"
#include "tests/support/sketch.h"

using namespace berth;

namespace {

Outcome block_dp(const Problem& problem, const BlockDpOptions& options = {}) {
  Budget budget;
  return run_method([&](const Context& context) { block_dp(context, options); }, "block-dp",
                    problem, budget, Rng(1));
}

// The least value over all placements and orders.
std::optional<double> optimum(const Problem& problem) {
  Evaluator evaluator(problem);
  return brute_force(
             problem,
             [&](const Placement& placement) -> std::optional<double> {
               const Score score = evaluator(placement);
               return score.feasible() ? std::optional(score.value.count()) : std::nullopt;
             },
             true)
      .best;
}

}  // namespace

TEST_CASE("the order inside a block is part of the answer") {
  // s -> {a, b, c} -> t. a and b run on d0 only (1 and 4), c on d1 only (5) after a. Rank order and
  // the best order start with a: 1 + 5 = 6 beside a and b: 5, then t: 7. With b first: 1 + 4 + 1 +
  // 5 + 1.
  Sketch sketch("order", 2);
  const NodeId s = sketch.node("s", {1, kNever}), a = sketch.node("a", {1, kNever}),
               b = sketch.node("b", {4, kNever}), c = sketch.node("c", {kNever, 5}),
               t = sketch.node("t", {1, kNever});
  sketch.tensor(s, 0, {a, b});
  sketch.tensor(a, 0, {c});
  sketch.tensor(b, 0, {t});
  sketch.tensor(c, 0, {t});
  const Problem problem = sketch.build();
  const Outcome outcome = block_dp(problem);
  REQUIRE(outcome.placement);
  CHECK(outcome.proven_optimal);
  CHECK(simulate(problem, *outcome.placement).value.count() == doctest::Approx(8));
  const std::vector<NodeId>& order = outcome.placement->order;
  CHECK(std::find(order.begin(), order.end(), a) < std::find(order.begin(), order.end(), b));
}

TEST_CASE("without limits and channels the optimum over devices and orders is proven") {
  Rng rng(33);
  int proven = 0;
  for (int round = 0; round < effort(1500); ++round) {
    CAPTURE(round);
    const Problem drawn =
        fixtures::random_problem(rng, {.min_nodes = 2,
                                       .max_nodes = 6,
                                       .max_devices = 3,
                                       .execution = fixtures::ExecutionKind::kConcurrent,
                                       .memory_limits = false,
                                       .constraints = false});
    Cluster cluster = drawn.cluster();
    cluster.set_uncontended();
    const Problem problem = drawn.with_cluster(cluster);
    if (all_orders(problem.graph(), 60).empty()) continue;
    const std::optional<double> best = optimum(problem);
    const Outcome outcome = block_dp(problem);
    REQUIRE((best && outcome.placement));
    CHECK(outcome.proven_optimal);
    CHECK(simulate(problem, *outcome.placement).value.count() == doctest::Approx(*best));
    ++proven;
  }
  CHECK(proven > effort(1500) / 3);
}

TEST_CASE("a narrow search still tells the truth on both sides") {
  Rng rng(34);
  for (int round = 0; round < effort(600); ++round) {
    CAPTURE(round);
    const Problem problem =
        fixtures::random_problem(rng, {.min_nodes = 4,
                                       .max_nodes = 6,
                                       .max_devices = 3,
                                       .execution = fixtures::ExecutionKind::kConcurrent});
    if (all_orders(problem.graph(), 40).empty()) continue;
    const std::optional<double> best = optimum(problem);
    const Outcome outcome = block_dp(problem, {.width = 1});
    if (!best) continue;
    if (outcome.lower_bound) CHECK(outcome.lower_bound->count() <= *best * (1 + 1e-9));
  }
}

TEST_CASE("GoogLeNet's optimum is proven") {
  const auto path = shared_data("moirai/GoogLeNet.json");
  if (!path) return;
  const Problem problem = read_problem(*path, {.ignore_memory = true});
  const Result result = run_placer("block-dp", problem);
  REQUIRE(result.simulation);
  CHECK(in_milliseconds(result.simulation->value) == doctest::Approx(1.24132).epsilon(1e-6));
  CHECK(result.proven_optimal);
}
