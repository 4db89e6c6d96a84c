// `auto` runs other methods: it is as good as the best of them, in value and in bound.
#include "berth/portfolio.h"

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "berth/place/registry.h"
#include "berth/place/seeds.h"
#include "berth/search/annealing.h"
#include "berth/solvers/milp.h"
#include "tests/support/effort.h"
#include "tests/support/fixtures.h"

using namespace berth;

namespace {

// `auto` is no worse than what a part of it says on its own.
void check_against(const Outcome& part, const std::optional<Score>& value, const Outcome& all,
                   Evaluator& evaluate) {
  CAPTURE(part.found_by);
  if (part.placement && evaluate(*part.placement).feasible()) {
    REQUIRE(value);
    REQUIRE_FALSE(evaluate(*part.placement) < *value);
  }
  if (!part.lower_bound || !value) return;
  REQUIRE(all.lower_bound);
  REQUIRE(*all.lower_bound >= std::min(*part.lower_bound, value->value) * (1 - 1e-12));
}

// The parts of auto as they run there: the same random streams, a budget and an incumbent of their
// own.
void check_auto(const Problem& problem, const Budget::Limits& limits, std::uint64_t seed) {
  const Rng rng(seed);
  Budget budget(limits);
  const Outcome all = run_method("auto", problem, budget, rng);
  Evaluator evaluate(problem);
  std::optional<Score> value;
  if (all.placement) value = evaluate(*all.placement);
  if (value) REQUIRE(value->feasible());

  Budget again(limits);
  Incumbent first(problem, again, "seeds");
  const std::vector<Seed> seeds =
      collect_seeds(usual_seeds(problem), Context(problem, first, again, rng));
  check_against(first.outcome(), value, all, evaluate);
  if (seeds.empty() || all.proven_optimal) return;
  if (problem.as<InPieces>() && problem.objective() == Objective::kThroughput)
    check_against(run_method("replicate", problem, again, rng.split("replicate")), value, all,
                  evaluate);
  Incumbent annealed(problem, again, "anneal");
  annealed.offer(anneal_from(problem, seeds, first.bound(), {}, again, rng));
  check_against(annealed.outcome(), value, all, evaluate);
  if (!problem.model().through_host() || !milp_available() || again.spent()) return;
  Incumbent exact(problem, again, "exact");
  seed_from(problem.as<CallLatency>() ? "latency-ip" : "throughput-ip",
            Context(problem, exact, again, rng));
  check_against(exact.outcome(), value, all, evaluate);
}

}  // namespace

TEST_CASE("auto is never worse than any of its seeds and parts, and its bound is at least theirs") {
  Rng rng(91);
  for (int round = 0; round < effort(240); ++round) {
    CAPTURE(round);
    const Problem problem = fixtures::random_problem(rng, {.max_nodes = 8, .min_devices = 2});
    check_auto(problem, {.seconds = {}, .evaluations = round % 2 == 0 ? 400 : 4000},
               static_cast<std::uint64_t>(round));
  }
}

TEST_CASE("auto with room for its parts is as good as each of them on every small problem") {
  for (const Problem& problem : fixtures::small_problems()) {
    CAPTURE(problem.name());
    check_auto(problem, {.seconds = {}, .evaluations = 20000}, 5);
  }
}
