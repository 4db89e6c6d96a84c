#include "berth/place/local/local_search.h"

#include "berth/place/seeds.h"

namespace berth {

Outcome LocalSearch::place(const Problem& problem, Budget& budget, Rng& rng) const {
  const Seed start = seed_from(options_.start, problem, budget, rng);
  Outcome outcome;
  outcome.reason = start.reason;
  if (!start.units) return outcome;
  return better_of(
      problem, start,
      from_units(problem, improve_locally(problem, *start.units, options_, budget, rng)));
}

}  // namespace berth
