#include "berth/place/seeds.h"

#include <algorithm>

#include "berth/place/registry.h"
#include "berth/search/claims.h"
#include "berth/search/fit_weights.h"
#include "berth/search/merge_subgraphs.h"
#include "berth/search/search_state.h"
#include "berth/transform/surrogate_problem.h"

namespace berth {

std::vector<std::string> usual_seeds(const Problem& problem) {
  const std::size_t size = problem.node_count() + problem.graph().edge_count();
  const bool sequential = problem.as<Sequential>() != nullptr;
  std::vector<std::string> wanted{"single-device", "greedy"};
  if (problem.objective() == Objective::kLatency && !sequential) {
    wanted.insert(wanted.end(), {"heft", "etf", "m-etf", "m-topo", "device-map"});
    if (size < 20000) wanted.push_back("m-sct");
    if (size < 20000 && problem.as<CallLatency>()) wanted.push_back("latency-dp");
  } else {
    if (!sequential && size < 20000)
      wanted.push_back(problem.model().contiguous() ? "ideal-dp" : "linear-dp");
    wanted.insert(wanted.end(), {"heft", "m-topo", "device-map", "min-cut", "scotch"});
  }
  if (sequential || size < 20000) wanted.push_back("sequential-cut");
  std::erase_if(wanted, [](const std::string& name) {
    return std::none_of(placers().begin(), placers().end(),
                        [&](const PlacerEntry& entry) { return name == entry.name; });
  });
  return wanted;
}

Seed seed_from(const std::string& spec, const Problem& problem, Budget& budget, const Rng& rng,
               Repair repair) {
  Seed seed;
  seed.spec = spec;
  Budget part = budget.part({});
  Rng stream = rng.split(spec);
  const Outcome outcome = make_placer(spec)->place(surrogate_problem(problem), part, stream);
  // What is proven among contiguous splits bounds nothing else, nor does the surrogate problem.
  const bool applies =
      (!outcome.contiguous || problem.model().contiguous()) && problem.as<InPieces>() == nullptr;
  if (applies) seed.lower_bound = outcome.lower_bound;
  seed.contradictions = outcome.contradictions;
  seed.reason = outcome.reason;
  if (!outcome.placement) return seed;

  Evaluator evaluator(problem);
  const Score own = evaluator(*outcome.placement);
  budget.count();
  if (own.feasible() && !broken_rule(problem, *outcome.placement)) {
    seed.placement = outcome.placement;
    seed.score = own;
    seed.proven_optimal = applies && outcome.proven_optimal;
  }
  seed.units = make_allowed(problem, to_units(problem, *outcome.placement));
  if (seed.units) seed.units = merge_subgraphs(problem, std::move(*seed.units), budget, repair);
  if (seed.units) seed.units = make_fit(problem, std::move(*seed.units), budget, repair);
  if (!seed.units) {
    if (seed.placement) {  // feasible in its own order only
      seed.units = to_units(problem, *seed.placement);
      return seed;
    }
    seed.reason = "the placement of " + spec + " could not be made to fit limits and constraints";
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

namespace {

// No method gave a placement that fits. The allowed device where each unit is fastest, repaired; or
// a packing of the weights; or, when even that does not fit, what is nearest: a search may mend it.
void add_last_resort(const Problem& problem, Budget& budget, SeedSet& set) {
  const DeviceId nowhere = static_cast<DeviceId>(problem.device_count());
  const auto allowed =
      make_allowed(problem, IdVector<UnitId, DeviceId>(problem.unit_count(), nowhere));
  Seed seed;
  seed.spec = "repair";
  budget.count();
  if (allowed) seed.units = make_fit(problem, *allowed, budget);
  if (!seed.units) {
    const WeightFit packing = fit_weights(problem, budget);
    if (packing.impossible) {
      set.reason = packing.why;
      return;
    }
    seed.units = packing.units ? packing.units : allowed;
    if (packing.units) {
      const auto mended = make_fit(problem, *packing.units, budget);
      if (mended) seed.units = mended;
    }
  }
  if (!seed.units) return;
  seed.score = Evaluator(problem)(from_units(problem, *seed.units));
  if (seed.score.feasible()) seed.placement = from_units(problem, *seed.units);
  set.seeds.push_back(std::move(seed));
}

std::optional<Duration> claimed(const Claims& claims) {
  return claims.best() > Duration{0} ? std::optional(claims.best()) : std::nullopt;
}

// Bounds of one seed that another refutes are no bounds.
void settle(const Claims& claims, SeedSet& set) {
  for (Seed& seed : set.seeds) {
    if (!claims.is_refuted(seed.spec)) continue;
    seed.lower_bound.reset();
    seed.proven_optimal = false;
  }
  set.lower_bound = claimed(claims);
  set.bound_by = claims.best_by();
  set.contradictions = claims.contradictions();
}

}  // namespace

SeedSet collect_seeds(const std::vector<std::string>& specs, const Problem& problem, Budget& budget,
                      const Rng& rng) {
  SeedSet set;
  Claims claims;
  for (const std::string& spec : specs) {
    if (budget.spent() && !set.seeds.empty()) break;
    const Repair repair = set.seeds.empty() ? Repair::kToTheEnd : Repair::kWithinBudget;
    Seed seed = seed_from(spec, problem, budget, rng, repair);
    claims.refute(seed.contradictions);
    if (seed.placement) claims.found(seed.score.value, spec);
    if (seed.lower_bound) claims.bound(*seed.lower_bound, spec);
    if (seed.units) {
      budget.report({.phase = spec, .best = seed.score.value, .bound = claimed(claims)});
      set.seeds.push_back(std::move(seed));
    } else if (set.reason.empty() || spec == "greedy") {
      set.reason = seed.reason;  // greedy names the node that found no room
    }
  }
  if (set.seeds.empty()) add_last_resort(problem, budget, set);
  std::stable_sort(set.seeds.begin(), set.seeds.end(),
                   [](const Seed& a, const Seed& b) { return a.score < b.score; });
  settle(claims, set);
  return set;
}

}  // namespace berth
