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

// A part of auto as it runs there: the same random stream, a budget of its own.
void check_against(const Seed& part, const std::optional<Score>& value, const Outcome& all) {
  CAPTURE(part.spec);
  if (part.placement && part.score.feasible()) {
    REQUIRE(value);
    REQUIRE_FALSE(part.score < *value);
  }
  if (!part.lower_bound || !value) return;
  REQUIRE(all.lower_bound);
  REQUIRE(*all.lower_bound >= std::min(*part.lower_bound, value->value) * (1 - 1e-12));
}

void check_auto(const Problem& problem, const Budget::Limits& limits, std::uint64_t seed) {
  Rng rng(seed);
  Budget budget(limits);
  const Outcome all = make_placer("auto")->place(problem, budget, rng);
  std::optional<Score> value;
  if (all.placement) value = Evaluator(problem)(*all.placement);
  if (value) REQUIRE(value->feasible());

  Budget again(limits);
  const SeedSet set = collect_seeds(usual_seeds(problem), problem, again, Rng(seed));
  for (const Seed& part : set.seeds) check_against(part, value, all);
  if (set.seeds.empty() || all.proven_optimal) return;
  if (problem.as<InPieces>() && problem.objective() == Objective::kThroughput) {
    Rng stream = Rng(seed).split("replicate");
    const Outcome shared = make_placer("replicate")->place(problem, again, stream);
    if (shared.placement) {
      REQUIRE(value);
      REQUIRE_FALSE(Evaluator(problem)(*shared.placement) < *value);
    }
  }
  Seed annealed{
      .spec = "anneal", .units = {}, .placement = {}, .score = {}, .lower_bound = {}, .reason = {}};
  annealed.placement = anneal_from(problem, set.seeds, {}, again, Rng(seed)).placement;
  if (annealed.placement) annealed.score = Evaluator(problem)(*annealed.placement);
  check_against(annealed, value, all);
  if (!problem.model().through_host() || !milp_available() || again.spent()) return;
  const char* const exact = problem.as<CallLatency>() ? "latency-ip" : "throughput-ip";
  check_against(seed_from(exact, problem, again, Rng(seed)), value, all);
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
