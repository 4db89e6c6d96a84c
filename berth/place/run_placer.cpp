#include "berth/place/run_placer.h"

#include <algorithm>
#include <chrono>

#include <fmt/format.h>

#include "berth/base/random.h"
#include "berth/search/bounds.h"
#include "berth/search/claims.h"
#include "berth/search/impossible.h"

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

// The best bound that the value does not refute (claims.h); where it meets the value, a proof.
void settle(const Claims& claims, Result& result) {
  if (claims.contradictions().size() > result.contradictions.size()) result.proven_optimal = false;
  result.contradictions = claims.contradictions();
  Duration bound = claims.best();
  if (result.simulation) {
    const Duration value = result.simulation->value;
    if (result.proven_optimal || bound >= value * (1 - 1e-9)) {
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

Result run_placer(const Method& run, const std::string& method, const std::string& spec,
                  const Problem& problem, std::uint64_t seed, Budget& budget) {
  const auto begin = std::chrono::steady_clock::now();
  Result result;
  result.method = method;
  result.spec = spec;
  result.seed = seed;
  if (const std::optional<NodeId> stuck = problem.unplaceable()) {
    result.reason =
        fmt::format("no device can run node '{}' and all nodes that must share its device",
                    problem.graph().node(*stuck).name);
  } else {
    const std::uint64_t before = budget.evaluations(), measured = budget.measurements();
    Outcome outcome = run_method(run, method, problem, budget, Rng(seed).split(method));
    result.evaluations = budget.evaluations() - before;
    result.measurements = budget.measurements() - measured;
    result.measured = outcome.measured;
    result.placement = std::move(outcome.placement);
    result.proven_optimal = outcome.proven_optimal;
    result.contiguous = outcome.contiguous || problem.model().contiguous();
    result.impossible = outcome.impossible;
    result.reason = std::move(outcome.reason);
    result.warnings = std::move(outcome.notes);
    result.found_by = std::move(outcome.found_by);
    result.improvements = std::move(outcome.improvements);
    result.curve = std::move(outcome.curve);
    result.contradictions = std::move(outcome.contradictions);
    if (result.placement) verify(problem, result);
    const bool replicated = result.placement && !result.placement->replicas.empty();
    const LowerBound cheap = lower_bound(problem, replicated);
    Claims claims;
    claims.refute(result.contradictions);
    if (result.simulation)
      claims.found(result.simulation->value, result.found_by.empty() ? method : result.found_by);
    if (outcome.lower_bound)
      claims.bound(*outcome.lower_bound, outcome.bound_by.empty() ? method : outcome.bound_by);
    claims.bound(cheap.value, fmt::format("bounds ({})", cheap.how));
    settle(claims, result);
  }
  // A proof that nothing can fit says more than how one method failed.
  if (!result.placement && !problem.unplaceable())
    if (std::optional<std::string> why = why_impossible(problem)) {
      result.reason = *why;
      result.impossible = true;
    }
  if (!result.placement && result.reason.empty())
    result.reason = "none was found within the budget";
  result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  return result;
}

Result run_placer(const std::string& text, const Problem& problem, std::uint64_t seed,
                  Budget& budget) {
  const Spec spec = parse_spec(text);
  const std::string canonical = find_placer(spec.name).canonical(spec);
  return run_placer(make_method(text), spec.name, canonical, problem, seed, budget);
}

Result run_placer(const std::string& spec, const Problem& problem, std::uint64_t seed) {
  Budget budget;
  return run_placer(spec, problem, seed, budget);
}

}  // namespace berth
