// Brute force bounds every placer, every bound and every claim of optimality on tiny random
// problems of all execution models, and equals the exact methods.

#include <algorithm>
#include <optional>
#include <string>

#include <doctest/doctest.h>

#include "berth/place/registry.h"
#include "berth/place/run_placer.h"
#include "berth/search/bounds.h"
#include "berth/sim/evaluate.h"
#include "tests/support/brute_force.h"
#include "tests/support/changed_model.h"
#include "tests/support/effort.h"
#include "tests/support/fixtures.h"
#include "tests/support/naive_simulator.h"
#include "tests/support/runnable.h"
#include "tests/support/shared_weights.h"

using namespace berth;

namespace {

using fixtures::ExecutionKind;

constexpr double kSlack = 1e-9;

bool is_registered(const std::string& name) {
  const auto all = placers();
  return std::any_of(all.begin(), all.end(),
                     [&](const PlacerEntry& entry) { return name == entry.name; });
}

// The optimum over all placements, over all orders if asked, and over replicas if asked.
BruteForce optimum(const Problem& problem, bool ordered, bool replicated) {
  Evaluator evaluator(problem);
  const Scorer scorer = [&](const Placement& placement) -> std::optional<double> {
    std::optional<double> best;
    const auto consider = [&](const Placement& each) {
      const Score score = evaluator(each);
      if (!score.feasible() || broken_rule(problem, each)) return;
      best = std::min(best.value_or(score.value.count()), score.value.count());
    };
    if (replicated)
      for_every_replication(problem, placement, consider);
    else
      consider(placement);
    return best;
  };
  return brute_force(problem, scorer, ordered);
}

BruteForce optimum(const Problem& problem) {
  return optimum(problem, orders_matter(problem), problem.model().bounds_count_replicas());
}

void make_contiguous(MaxLoad& load) { load.contiguous = true; }

// Orders multiply: fewer nodes where they may matter.
enum class Weights { kOwn, kShared };

Problem tiny_problem(Rng& rng, ExecutionKind execution, Weights weights = Weights::kOwn) {
  const bool ordered = execution != ExecutionKind::kSequential && execution != ExecutionKind::kCall;
  fixtures::RandomShape shape{.max_nodes = ordered ? 5U : 6U};
  shape.execution = execution;
  const Problem problem = fixtures::sometimes_limited(fixtures::random_problem(rng, shape), rng);
  return weights == Weights::kShared ? with_shared_weights(problem, rng) : problem;
}

void check_result(const Problem& problem, const BruteForce& best, const Result& result) {
  CAPTURE(result.spec);
  if (!best.best) {
    REQUIRE_MESSAGE(!result.placement, "a placement where nothing is feasible");
    REQUIRE_FALSE(result.reason.empty());
    return;
  }
  const double tolerance = kSlack * std::max(1.0, *best.best);
  if (result.placement) {
    const Simulation simulation = simulate(problem, *result.placement);
    REQUIRE_FALSE(simulation.broken);
    REQUIRE(result.simulation->value == simulation.value);
    REQUIRE(simulation.value.count() >= *best.best - tolerance);
  } else {
    REQUIRE_FALSE(result.reason.empty());
    REQUIRE_FALSE(result.proven_optimal);
  }
  // Some methods prove among contiguous splits only, and say so.
  double proven_against = *best.best;
  if (result.contiguous && !problem.model().contiguous()) {
    const BruteForce contiguous = optimum(changed<MaxLoad>(problem, make_contiguous));
    if (!contiguous.best) return;
    proven_against = *contiguous.best;
  }
  if (result.proven_optimal)
    REQUIRE(result.simulation->value.count() <= proven_against + tolerance);
  if (result.lower_bound) REQUIRE(result.lower_bound->count() <= proven_against + tolerance);
}

bool is_replicated(const Result& result) {
  return result.placement && !result.placement->replicas.empty();
}

void check_placers(ExecutionKind execution, std::uint64_t seed, int rounds,
                   Weights weights = Weights::kOwn) {
  Rng rng(seed);
  for (int round = 0; round < rounds; ++round) {
    CAPTURE(round);
    const Problem problem = tiny_problem(rng, execution, weights);
    const BruteForce best = optimum(problem);
    if (best.best) {
      const double tolerance = kSlack * std::max(1.0, *best.best);
      REQUIRE(lower_bound(problem).value.count() <= *best.best + tolerance);
    }
    for (const PlacerEntry& entry : runnable_placers()) {
      if (entry.traits.growth == Growth::kTraining && round % 50 != 0) continue;
      Budget budget({.seconds = std::nullopt, .evaluations = 100});
      const Result result =
          run_placer(entry.name, problem, static_cast<std::uint64_t>(round), budget);
      const bool beyond = is_replicated(result) && !problem.model().bounds_count_replicas();
      check_result(problem, beyond ? optimum(problem, orders_matter(problem), true) : best, result);
    }
  }
}

}  // namespace

TEST_CASE("brute force counts what it should: devices to the power of units, times orders") {
  const auto accept = [](const Placement&) -> std::optional<double> { return 1.0; };
  CHECK(brute_force(fixtures::small_problem("chain"), accept).enumerated == 16);
  CHECK(brute_force(fixtures::small_problem("fork-join"), accept).enumerated == 243);
  CHECK(brute_force(fixtures::small_problem("together"), accept).enumerated == 8);
  CHECK(brute_force(fixtures::small_problem("pinned"), accept).enumerated == 4);
  // Split and join apart: 3 * 2; three branches on three devices: 3!.
  CHECK(brute_force(fixtures::small_problem("apart"), accept).enumerated == 36);
  // The branches in any order: 3! topological orders, and the default of none.
  CHECK(all_orders(fixtures::small_problem("fork-join").graph(), 100).size() == 6);
  CHECK(brute_force(fixtures::small_problem("fork-join"), accept, true).enumerated == 243 * 7);
}

TEST_CASE("brute force by the literal simulator and by the Evaluator find the same optimum") {
  Rng rng(51);
  for (int round = 0; round < effort(200); ++round) {
    CAPTURE(round);
    fixtures::RandomShape shape{.max_nodes = 5};
    shape.memory_limits = false;
    const Problem problem = fixtures::random_problem(rng, shape);
    Evaluator evaluator(problem);
    const auto feasible = [&](const Placement& p) { return evaluator(p).feasible(); };
    const BruteForce fast = brute_force(problem, [&](const Placement& p) {
      return feasible(p) ? std::optional(evaluator(p).value.count()) : std::nullopt;
    });
    const BruteForce literal = brute_force(problem, [&](const Placement& p) {
      return feasible(p) ? std::optional(naive::value(problem, p)) : std::nullopt;
    });
    REQUIRE(fast.feasible == literal.feasible);
    REQUIRE(fast.best.has_value() == literal.best.has_value());
    if (fast.best) REQUIRE(*fast.best == doctest::Approx(*literal.best).epsilon(kSlack));
  }
}

TEST_CASE("concurrent: every placer is bounded by brute force over placements and orders") {
  check_placers(ExecutionKind::kConcurrent, 52, effort(600));
}

TEST_CASE("sequential: every placer is bounded by brute force") {
  check_placers(ExecutionKind::kSequential, 53, effort(600));
}

TEST_CASE("call: every placer is bounded by brute force") {
  check_placers(ExecutionKind::kCall, 54, effort(900));
}

TEST_CASE("shared weights: every placer is bounded by brute force") {
  check_placers(ExecutionKind::kConcurrent, 61, effort(150), Weights::kShared);
  check_placers(ExecutionKind::kSequential, 62, effort(150), Weights::kShared);
  check_placers(ExecutionKind::kCall, 63, effort(300), Weights::kShared);
  check_placers(ExecutionKind::kPipeline, 64, effort(150), Weights::kShared);
}

TEST_CASE("ideal-dp finds the optimum among contiguous splits whenever there is one") {
  Rng rng(57);
  for (int round = 0; round < effort(2000); ++round) {
    CAPTURE(round);
    fixtures::RandomShape shape{.max_nodes = 7};
    shape.execution = ExecutionKind::kCall;
    Problem drawn = fixtures::random_problem(rng, shape);
    if (!drawn.as<MaxLoad>()) continue;
    if (round >= effort(1500)) drawn = with_shared_weights(drawn, rng);
    const Problem problem = changed<MaxLoad>(drawn, make_contiguous);
    const BruteForce best = optimum(problem);
    const Result result = run_placer("ideal-dp", problem);
    REQUIRE(result.placement.has_value() == best.best.has_value());
    if (!best.best) continue;
    REQUIRE(result.proven_optimal);
    REQUIRE(result.simulation->value.count() == doctest::Approx(*best.best).epsilon(kSlack));
  }
}

TEST_CASE("pipeline: every placer is bounded by brute force") {
  check_placers(ExecutionKind::kPipeline, 55, effort(600));
}

TEST_CASE("pieces: every placer is bounded by brute force over placements and orders") {
  check_placers(ExecutionKind::kPieces, 58, effort(600));
}

TEST_CASE("sequential-cut on two devices without overhead equals brute force") {
  if (!is_registered("sequential-cut")) {
    MESSAGE("skipped: this build has no sequential-cut");
    return;
  }
  Rng rng(56);
  for (int round = 0; round < effort(2000); ++round) {
    CAPTURE(round);
    fixtures::RandomShape shape{.max_nodes = 9, .min_devices = 2, .max_devices = 2};
    shape.execution = ExecutionKind::kSequential;
    shape.memory_limits = false;
    shape.overhead = false;
    const Problem drawn = fixtures::random_problem(rng, shape);
    // "Apart" is not submodular: no minimum cut expresses it.
    Constraints constraints = drawn.constraints();
    constraints.apart.clear();
    const Problem problem = drawn.with_constraints(constraints);
    const BruteForce best = optimum(problem);
    REQUIRE(best.best);
    const Result result = run_placer("sequential-cut", problem);
    REQUIRE(result.placement);
    REQUIRE(result.proven_optimal);
    REQUIRE(result.simulation->value.count() == doctest::Approx(*best.best).epsilon(kSlack));
    const double tolerance = kSlack * std::max(1.0, *best.best);
    REQUIRE(result.lower_bound->count() <= *best.best + tolerance);
  }
}

TEST_CASE("searches with a fair budget find the optimum of most tiny problems") {
  // Not a proof of quality, but a search that is broken for one execution model shows here.
  for (const char* method : {"local-search", "anneal", "auto"}) {
    if (!is_registered(method)) continue;
    for (const ExecutionKind execution :
         {ExecutionKind::kConcurrent, ExecutionKind::kSequential, ExecutionKind::kCall,
          ExecutionKind::kPipeline, ExecutionKind::kPieces}) {
      Rng rng(57);
      int solvable = 0, found = 0, optimal = 0;
      for (int round = 0; round < effort(120); ++round) {
        const Problem problem = tiny_problem(rng, execution);
        // Annealing looks at single devices; what they give in turn is replicate's and auto's.
        const bool replicated =
            std::string(method) == "auto" && problem.model().bounds_count_replicas();
        const BruteForce best = optimum(problem, false, replicated);
        if (!best.best) continue;
        ++solvable;
        Budget budget({.seconds = std::nullopt, .evaluations = 3000});
        const Result result = run_placer(method, problem, 1, budget);
        if (!result.placement) continue;
        ++found;
        if (result.simulation->value.count() <= *best.best * (1 + kSlack) + kSlack) ++optimal;
      }
      CAPTURE(std::string(method));
      CAPTURE(std::string(to_string(execution)));
      REQUIRE(solvable > 0);
      const bool thorough = std::string(method) != "local-search";
      CHECK(found >= solvable * (thorough ? 95 : 80) / 100);
      CHECK(optimal >= solvable * (thorough ? 90 : 60) / 100);
    }
  }
}
