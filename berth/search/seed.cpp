#include "berth/search/seed.h"

namespace berth {

Outcome better_of(const Problem& problem, const Seed& seed, Placement found) {
  Outcome outcome;
  outcome.lower_bound = seed.lower_bound;
  outcome.bound_by = seed.spec;
  outcome.contradictions = seed.contradictions;
  const Score score = Evaluator(problem)(found);
  if (seed.placement && !(score < seed.score)) {
    outcome.placement = seed.placement;
    outcome.proven_optimal = seed.proven_optimal;
  } else if (score.feasible()) {
    outcome.placement = std::move(found);
  } else {
    outcome.reason = "no placement within the memory limits was found";
  }
  return outcome;
}

}  // namespace berth
