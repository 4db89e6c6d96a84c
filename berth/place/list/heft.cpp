#include "berth/place/list/heft.h"

#include "berth/place/list/list_schedule.h"
#include "berth/transform/contract.h"
#include "berth/transform/ranks.h"

namespace berth {

void heft(const Context& context, const HeftOptions& options) {
  const Coarsening units = contract_units(context.problem);
  context.incumbent.take(expand(units, place_in_order(units.problem, priority_order(units.problem),
                                                      options.insertion, context.budget)));
}

}  // namespace berth
