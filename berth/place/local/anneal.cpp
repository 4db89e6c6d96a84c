#include "berth/place/local/anneal.h"

#include "berth/place/load/large_neighbourhood.h"
#include "berth/place/seeds.h"
#include "berth/place/traits.h"
#include "berth/search/bounds.h"

namespace berth {
namespace {

constexpr double kAnnealingShare = 0.6;  // of the time, where neighbourhoods follow

// Parts of the placement solved exactly (place/load/large_neighbourhood.h), where loads are what is
// minimised.
void search_neighbourhoods(const Context& context, const Placement& start) {
  const Problem& problem = context.problem;
  if (!milp_available() || !is_of_kind(problem, kCallLoads + kPipelineLoads)) return;
  const LoadModel model = load_model(problem, {.ordered = false});
  if (!model.exact) return;
  const LargeNeighbourhoodOptions options{.rounds = context.budget.limits().seconds ? 0 : 200,
                                          .floor = context.incumbent.bound().count() * (1 + 1e-9)};
  Rng rng = context.rng.split("neighbourhoods");
  context.incumbent.offer(
      placement_of_slots(problem, model,
                         large_neighbourhood_search(model, slots_of_placement(model, start),
                                                    options, context.budget, rng)));
}

std::vector<std::string> seed_specs(const std::string& joined, const Problem& problem) {
  if (joined.empty()) return usual_seeds(problem);
  std::vector<std::string> specs;
  for (std::size_t at = 0; at <= joined.size();) {
    const std::size_t plus = std::min(joined.find('+', at), joined.size());
    specs.push_back(joined.substr(at, plus - at));
    at = plus + 1;
  }
  return specs;
}

}  // namespace

void anneal(const Context& context, const AnnealOptions& options) {
  Incumbent& incumbent = context.incumbent;
  const std::vector<Seed> seeds =
      collect_seeds(seed_specs(options.seeds, context.problem), context);
  if (seeds.empty()) return;
  incumbent.fail("no placement within the memory limits was found");
  incumbent.raise_bound(lower_bound(context.problem).value, "bounds");
  Budget part = context.budget.share(options.lns ? kAnnealingShare : 1.0);
  incumbent.offer(
      anneal_from(context.problem, seeds, incumbent.bound(), options, part, context.rng));
  const std::optional<Placement> best = incumbent.placement();
  if (options.lns && best && !incumbent.closed(kSettled)) search_neighbourhoods(context, *best);
}

}  // namespace berth
