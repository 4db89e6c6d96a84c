#include "berth/place/run_placer.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <chrono>

#include "berth/place/bounds.h"
#include "berth/place/impossible.h"
#include "berth/place/registry.h"

namespace berth {
namespace {

void verify(const Problem& problem, Result& result) {
  result.simulation = simulate(problem, *result.placement);
  if (!result.simulation->broken) return;
  result.reason = *result.simulation->broken;
  result.placement.reset();
  result.simulation.reset();
  result.proven_optimal = false;
}

// A method's own bound and the cheap ones; a bound above a value that was reached is a bug, and
// rounding is not.
void settle_bound(Result& result, const std::optional<Duration>& proven, const LowerBound& cheap) {
  Duration bound = std::max(proven.value_or(Duration{0}), cheap.value);
  if (result.simulation) {
    const Duration value = result.simulation->value;
    if (result.proven_optimal) bound = value;
    if (bound > value && bound <= value * (1 + 1e-6)) bound = value;
    assert(bound <= value && "a lower bound lies above a value that was reached");
    if (bound >= value * (1 - 1e-9)) {
      bound = value;
      result.proven_optimal = true;
    }
  }
  if (bound > Duration{0} || result.proven_optimal) result.lower_bound = bound;
}

}  // namespace

std::optional<double> Result::gap() const {
  if (!simulation || !lower_bound) return std::nullopt;
  if (simulation->value == *lower_bound) return 0.0;
  if (*lower_bound <= Duration{0}) return std::nullopt;
  return simulation->value / *lower_bound - 1.0;
}

Result run_placer(const std::string& text, const Problem& problem, std::uint64_t seed,
                  Budget& budget) {
  const auto begin = std::chrono::steady_clock::now();
  const Spec spec = parse_spec(text);
  const PlacerEntry& entry = find_placer(spec.name);
  Result result;
  result.method = spec.name;
  result.spec = entry.canonical(spec);
  result.seed = seed;
  const std::unique_ptr<Placer> placer = entry.make(spec);

  if (const std::optional<NodeId> stuck = problem.unplaceable()) {
    result.reason = fmt::format("no device can run node '{}' and all nodes that must share its device",
                                problem.graph().node(*stuck).name);
  } else {
    Rng rng = Rng(seed).split(spec.name);
    const std::uint64_t before = budget.evaluations(), measured = budget.measurements();
    Outcome outcome = placer->place(problem, budget, rng);
    result.evaluations = budget.evaluations() - before;
    result.measurements = budget.measurements() - measured;
    result.measured = outcome.measured;
    result.placement = std::move(outcome.placement);
    result.proven_optimal = outcome.proven_optimal;
    result.contiguous = outcome.contiguous || problem.model().contiguous;
    result.reason = std::move(outcome.reason);
    result.warnings = std::move(outcome.notes);
    result.found_by = std::move(outcome.found_by);
    result.curve = std::move(outcome.curve);
    if (result.placement) verify(problem, result);
    const bool replicated = result.placement && !result.placement->replicas.empty();
    settle_bound(result, outcome.lower_bound, lower_bound(problem, replicated));
  }
  // A proof that nothing can fit says more than how one method failed.
  if (!result.placement && !problem.unplaceable())
    if (std::optional<std::string> why = why_impossible(problem)) result.reason = *why;
  if (!result.placement && result.reason.empty()) result.reason = "none was found within the budget";
  result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  return result;
}

Result run_placer(const std::string& spec, const Problem& problem, std::uint64_t seed) {
  Budget budget;
  return run_placer(spec, problem, seed, budget);
}

}  // namespace berth
