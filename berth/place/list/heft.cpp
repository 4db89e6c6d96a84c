#include "berth/place/list/heft.h"

#include "berth/place/list/list_schedule.h"
#include "berth/transform/contract.h"

namespace berth {

Outcome Heft::place(const Problem& problem, Budget& budget, Rng&) const {
  const Coarsening units = contract_units(problem);
  Outcome outcome = place_by_rank(units.problem, options_.insertion, budget);
  if (outcome.placement) outcome.placement = expand(units, *outcome.placement);
  return outcome;
}

}  // namespace berth
