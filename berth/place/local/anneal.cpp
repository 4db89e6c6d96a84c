#include "berth/place/local/anneal.h"

#include <algorithm>

#include "berth/place/load/large_neighbourhood.h"
#include "berth/place/seeds.h"

namespace berth {
namespace {

constexpr double kAnnealingShare = 0.6;  // of the time, where neighbourhoods follow

// Parts of the placement solved exactly (place/load/large_neighbourhood.h), where loads are what is
// minimised.
Placement search_neighbourhoods(const Problem& problem, const Placement& start, double floor,
                                Budget& budget, Rng rng) {
  if (!milp_available() || why_no_load(problem) || problem.model().contiguous()) return start;
  const LoadModel model = load_model(problem, {.ordered = false});
  if (!model.exact) return start;
  const LargeNeighbourhoodOptions options{.rounds = budget.limits().seconds ? 0 : 200,
                                          .floor = floor};
  return placement_of_slots(
      problem, model,
      large_neighbourhood_search(model, slots_of_placement(model, start), options, budget, rng));
}

Outcome anneal_then_solve(const Problem& problem, const std::vector<Seed>& seeds,
                          const AnnealOptions& options, Budget& budget, const Rng& rng) {
  Budget part = budget.share(kAnnealingShare);
  Outcome outcome = anneal_from(problem, seeds, options, part, rng);
  if (!outcome.placement || outcome.proven_optimal) return outcome;
  const double floor = floor_of(problem, seeds).count() * (1 + 1e-9);
  Placement found = search_neighbourhoods(problem, *outcome.placement, floor, budget,
                                          rng.split("neighbourhoods"));
  return better_of(problem, seeds.front(), std::move(found));
}

}  // namespace

Outcome Anneal::place(const Problem& problem, Budget& budget, Rng& rng) const {
  std::vector<std::string> specs = usual_seeds(problem);
  if (!options_.seeds.empty()) {
    specs.clear();
    for (std::size_t at = 0; at <= options_.seeds.size();) {
      const std::size_t plus = std::min(options_.seeds.find('+', at), options_.seeds.size());
      specs.push_back(options_.seeds.substr(at, plus - at));
      at = plus + 1;
    }
  }
  const SeedSet set = collect_seeds(specs, problem, budget, rng);
  Outcome outcome;
  if (set.seeds.empty())
    outcome.reason = set.reason;
  else
    outcome = options_.lns ? anneal_then_solve(problem, set.seeds, options_, budget, rng)
                           : anneal_from(problem, set.seeds, options_, budget, rng);
  outcome.lower_bound = set.lower_bound;
  outcome.bound_by = set.bound_by;
  outcome.contradictions = set.contradictions;
  return outcome;
}

}  // namespace berth
