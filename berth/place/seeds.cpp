#include "berth/place/seeds.h"

#include <algorithm>

#include "berth/place/registry.h"
#include "berth/search/fit_weights.h"
#include "berth/search/merge_subgraphs.h"
#include "berth/transform/surrogate_problem.h"

namespace berth {

std::vector<std::string> usual_seeds(const Problem& problem) {
  std::vector<std::string> names;
  for (const PlacerEntry& entry : placers())
    if (is_seed(entry.traits, problem)) names.emplace_back(entry.name);
  return names;
}

Seed seed_from(const std::string& spec, const Context& context, Repair repair) {
  const Problem& problem = context.problem;
  Incumbent& incumbent = context.incumbent;
  Budget part = context.budget.part({});
  const Problem surrogate = surrogate_problem(problem);
  Outcome outcome = run_method(spec, surrogate, part, context.rng.split(spec));
  // What is proven among contiguous splits bounds nothing else, nor does another problem.
  const bool applies =
      (!outcome.contiguous || problem.model().contiguous()) && surrogate.model() == problem.model();
  incumbent.refute(outcome.contradictions);
  if (applies && outcome.lower_bound) incumbent.raise_bound(*outcome.lower_bound, spec);
  Seed seed{.spec = spec};
  if (!outcome.placement) {
    seed.reason = outcome.reason;
    return seed;
  }

  const Incumbent::Verdict own = incumbent.offer(*outcome.placement, spec);
  context.budget.count();
  const bool fits = own.score.feasible() && !broken_rule(problem, *outcome.placement);
  if (fits) seed.score = own.score;
  // A method that proves its own placement optimal proves its value.
  if (applies && fits && outcome.proven_optimal) incumbent.raise_bound(own.score.value, spec);
  seed.units = make_allowed(problem, to_units(problem, *outcome.placement));
  if (seed.units)
    seed.units = merge_subgraphs(problem, std::move(*seed.units), context.budget, repair);
  if (seed.units) seed.units = make_fit(problem, std::move(*seed.units), context.budget, repair);
  if (!seed.units && fits) {  // feasible in its own order only
    seed.units = to_units(problem, *outcome.placement);
    return seed;
  }
  if (!seed.units) {
    seed.reason = "the placement of " + spec + " could not be made to fit limits and constraints";
    return seed;
  }
  const Score repaired = incumbent.offer(from_units(problem, *seed.units), spec).score;
  context.budget.count();
  if (!fits || repaired < seed.score) seed.score = repaired;
  return seed;
}

namespace {

// No method gave a placement that fits. The allowed device where each unit is fastest, repaired; or
// a packing of the weights; or, when even that does not fit, what is nearest: a search may mend it.
Seed last_resort(const Context& context) {
  const Problem& problem = context.problem;
  const DeviceId nowhere = static_cast<DeviceId>(problem.device_count());
  const auto allowed =
      make_allowed(problem, IdVector<UnitId, DeviceId>(problem.unit_count(), nowhere));
  Seed seed{.spec = "repair"};
  context.budget.count();
  if (allowed) seed.units = make_fit(problem, *allowed, context.budget);
  if (!seed.units) {
    const WeightFit packing = fit_weights(problem, context.budget);
    if (packing.impossible) {
      seed.reason = packing.why;
      return seed;
    }
    seed.units = packing.units ? packing.units : allowed;
    if (packing.units)
      if (const auto mended = make_fit(problem, *packing.units, context.budget))
        seed.units = mended;
  }
  if (seed.units)
    seed.score = context.incumbent.offer(from_units(problem, *seed.units), "repair").score;
  return seed;
}

}  // namespace

std::vector<Seed> collect_seeds(const std::vector<std::string>& specs, const Context& context) {
  std::vector<Seed> seeds;
  std::string reason;
  for (const std::string& spec : specs) {
    if (context.budget.spent() && !seeds.empty()) break;
    Seed seed = seed_from(spec, context, seeds.empty() ? Repair::kToTheEnd : Repair::kWithinBudget);
    if (seed.units)
      seeds.push_back(std::move(seed));
    else if (reason.empty() || spec == "greedy")
      reason = seed.reason;  // greedy names the node that found no room
  }
  if (seeds.empty()) {
    Seed seed = last_resort(context);
    if (!seed.reason.empty()) reason = seed.reason;
    if (seed.units) seeds.push_back(std::move(seed));
  }
  context.incumbent.fail(reason);
  std::stable_sort(seeds.begin(), seeds.end(),
                   [](const Seed& a, const Seed& b) { return a.score < b.score; });
  return seeds;
}

}  // namespace berth
