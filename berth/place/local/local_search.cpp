#include "berth/place/local/local_search.h"

#include "berth/place/seeds.h"

namespace berth {

void local_search(const Context& context, const LocalSearchOptions& options) {
  const Seed start = seed_from(options.start, context);
  if (!start.units) return;
  Rng rng = context.rng;
  context.incumbent.fail("no placement within the memory limits was found");
  context.incumbent.offer(
      from_units(context.problem,
                 improve_locally(context.problem, *start.units, options, context.budget, rng)));
}

}  // namespace berth
