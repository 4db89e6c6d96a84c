#include "berth/place/seeds.h"

#include "berth/base/error.h"
#include "berth/place/registry.h"
#include "berth/place/search_state.h"

namespace berth {

Seed seed_from(const std::string& spec, const Problem& problem, Budget& budget, const Rng& rng) {
  Seed seed;
  seed.spec = spec;
  Budget part = budget.part({});
  Rng stream = rng.split(spec);
  const Outcome outcome = make_placer(spec)->place(problem, part, stream);
  budget.count(part.evaluations());
  seed.lower_bound = outcome.lower_bound;
  seed.reason = outcome.reason;
  if (!outcome.placement) return seed;

  Evaluator evaluator(problem);
  const Score own = evaluator(*outcome.placement);
  budget.count();
  if (own.feasible() && !broken_rule(problem, *outcome.placement)) {
    seed.placement = outcome.placement;
    seed.score = own;
    seed.proven_optimal = outcome.proven_optimal;
  }
  seed.units = make_allowed(problem, to_units(problem, *outcome.placement));
  if (seed.units) {
    std::uint64_t evaluations = 0;
    seed.units = make_fit(problem, std::move(*seed.units), evaluations);
    budget.count(evaluations);
  }
  if (!seed.units) {
    if (seed.placement) {  // feasible in its own order only
      seed.units = to_units(problem, *seed.placement);
      return seed;
    }
    seed.reason = "the placement of " + spec + " could not be made to fit memory and constraints";
    return seed;
  }
  const Score repaired = evaluator(from_units(problem, *seed.units));
  budget.count();
  if (!seed.placement || repaired < seed.score) {
    seed.placement = from_units(problem, *seed.units);
    seed.score = repaired;
    seed.proven_optimal = false;
  }
  return seed;
}

Outcome better_of(const Problem& problem, const Seed& seed, Placement found) {
  Outcome outcome;
  outcome.lower_bound = seed.lower_bound;
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
