#include "berth/place/auto_place.h"

#include "berth/place/bounds.h"
#include "berth/place/heuristic/anneal.h"
#include "berth/place/seeds.h"

namespace berth {

Outcome Auto::place(const Problem& problem, Budget& budget, Rng& rng) const {
  Budget::Limits share;
  if (const std::optional<double> left = budget.seconds_left()) share.seconds = *left / 4;
  Budget first = budget.part(share);
  SeedSet set = collect_seeds(usual_seeds(problem), problem, first, rng);
  budget.count(first.evaluations());

  Outcome outcome;
  outcome.lower_bound = set.lower_bound;
  if (set.seeds.empty()) {
    outcome.reason = set.reason;
    return outcome;
  }
  const Seed& best = set.seeds.front();
  const Duration bound = std::max(lower_bound(problem).value, set.lower_bound.value_or(Duration{0}));
  const bool settled = best.placement && best.score.value <= bound * (1 + 1e-9);
  if (best.proven_optimal || settled || budget.spent()) {
    outcome.placement = best.placement;
    if (!best.placement) outcome.reason = set.reason;
    outcome.proven_optimal = best.proven_optimal;
    outcome.found_by = best.spec;
    return outcome;
  }
  budget.report({.phase = "anneal", .best = best.score.value, .bound = bound});
  outcome = anneal_from(problem, set.seeds, {}, budget, rng);
  outcome.lower_bound = set.lower_bound;
  if (outcome.placement)
    outcome.found_by = outcome.placement == best.placement ? best.spec : "anneal";
  return outcome;
}

}  // namespace berth
