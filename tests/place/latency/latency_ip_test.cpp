#include "berth/place/latency/latency_ip.h"

#include <string>

#include <doctest/doctest.h>

#include "berth/place/latency/latency_program.h"
#include "berth/place/run_placer.h"
#include "berth/sim/evaluate.h"
#include "tests/support/brute_force.h"
#include "tests/support/effort.h"
#include "tests/support/fixtures.h"

using namespace berth;

namespace {

bool no_solver() {
  if (milp_available()) return false;
  MESSAGE("skipped: this build has no HiGHS");
  return true;
}

Problem call_latency(Rng& rng, int pieces) {
  fixtures::RandomShape shape{.max_nodes = 6, .min_devices = 2};
  shape.execution = fixtures::ExecutionKind::kCall;
  shape.training = false;
  return fixtures::random_problem(rng, shape).with_model(CallLatency{.pieces = pieces});
}

BruteForce optimum(const Problem& problem) {
  Evaluator evaluator(problem);
  return brute_force(problem, [&](const Placement& placement) -> std::optional<double> {
    const Score score = evaluator(placement);
    return score.feasible() ? std::optional(score.value.count()) : std::nullopt;
  });
}

void check_optimal(const std::string& spec, std::uint64_t seed, int rounds) {
  Rng rng(seed);
  int solved = 0;
  for (int round = 0; round < rounds; ++round) {
    CAPTURE(round);
    const Problem problem = call_latency(rng, 1);
    const BruteForce best = optimum(problem);
    const Result result = run_placer(spec, problem);
    if (!best.best) {
      REQUIRE_FALSE(result.placement);
      continue;
    }
    if (!result.placement) continue;  // no start: tight limits on CPUs can hide the few that fit
    ++solved;
    REQUIRE(result.proven_optimal);
    REQUIRE(result.simulation->value.count() == doctest::Approx(*best.best).epsilon(1e-5));
    REQUIRE(result.lower_bound->count() <= *best.best * (1 + 1e-9) + 1e-9);
  }
  CHECK(solved > rounds / 2);
}

}  // namespace

TEST_CASE("latency-ip proves what brute force finds") {
  if (no_solver()) return;
  check_optimal("latency-ip", 81, effort(400));
}

TEST_CASE("the integer program alone proves what brute force finds") {
  if (no_solver()) return;
  check_optimal("latency-ip(rounds=0)", 82, effort(250));
}

TEST_CASE("every placement with one call per accelerator is a start of the integer program") {
  if (no_solver()) return;
  Rng rng(83);
  for (int round = 0; round < effort(150); ++round) {
    CAPTURE(round);
    const Problem problem = call_latency(rng, 1);
    const Placement placement = fixtures::random_placement(rng, problem);
    const Score score = Evaluator(problem)(placement);
    if (!score.feasible() || broken_rule(problem, placement)) continue;
    const LatencyProgram program(problem, score.value * 1.001 + Duration{1e-6}, Duration{0});
    const std::vector<double> start = program.start_from(placement);
    REQUIRE(start.size() == program.model().variable_count());
    // With its integers fixed to the start, the program's optimum is at most the placement's
    // latency.
    MilpModel fixed = program.model();
    for (std::size_t i = 0; i < start.size(); ++i)
      if (start[i] == start[i])
        fixed.variable(static_cast<VariableId>(i)).lower =
            fixed.variable(static_cast<VariableId>(i)).upper = start[i];
    const MilpSolution solution = solve(fixed);
    REQUIRE(solution.status == MilpStatus::kOptimal);
    const Score decoded = Evaluator(problem)(program.decode(solution.values.items()));
    REQUIRE(program.to_time(solution.objective).count() <= score.value.count() * (1 + 1e-6) + 1e-6);
    REQUIRE(decoded.value.count() <= score.value.count() * (1 + 1e-9) + 1e-9);
  }
}

TEST_CASE("more pieces per accelerator are never worse than one") {
  if (no_solver()) return;
  Rng rng(84);
  int gained = 0, missed = 0, compared = 0;
  for (int round = 0; round < effort(60); ++round) {
    CAPTURE(round);
    const Problem one = call_latency(rng, 1);
    const Result first = run_placer("latency-ip", one);
    for (const int pieces : {2, 3}) {
      const Problem several = one.with_model(CallLatency{.pieces = pieces});
      const Result more = run_placer("latency-ip", several);
      if (!first.placement) continue;
      REQUIRE(more.placement);
      REQUIRE(more.simulation->value <= first.simulation->value);
      gained += more.simulation->value < first.simulation->value * (1 - 1e-6);
      const BruteForce best = optimum(several);
      REQUIRE(more.simulation->value.count() >= *best.best * (1 - 1e-9));
      missed += more.simulation->value.count() > *best.best * (1 + 1e-6);
      ++compared;
    }
  }
  // A second piece is worth having now and then (too seldom for a run of few rounds), and the
  // search mostly finds where.
  if (effort(60) == 60) CHECK(gained > 0);
  CHECK(missed * 20 <= compared);
}
