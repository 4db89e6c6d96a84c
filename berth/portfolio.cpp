#include "berth/portfolio.h"

#include "berth/place/registry.h"
#include "berth/place/seeds.h"
#include "berth/search/annealing.h"
#include "berth/search/incumbent.h"
#include "berth/solvers/milp.h"

namespace berth {
namespace {

constexpr double kSettled = 1e-9;      // a gap below this is rounding
constexpr std::size_t kSmall = 200;    // units times devices: proven in moments
constexpr std::size_t kLarge = 20000;  // beyond: the integer program does not even start in time

// The method that can prove the optimum of this problem within the budget, if there is one.
std::optional<std::string> exact_method(const Problem& problem, const Budget& budget) {
  if (!problem.model().through_host() || !milp_available()) return std::nullopt;
  const std::size_t size = problem.unit_count() * problem.device_count();
  if (size > (budget.limits().seconds ? kLarge : kSmall)) return std::nullopt;
  if (problem.as<CallLatency>()) return "latency-ip";
  return "throughput-ip";
}

}  // namespace

Outcome Auto::place(const Problem& problem, Budget& budget, Rng& rng) const {
  Incumbent incumbent(problem, budget);
  const auto take = [&](const Seed& seed) {
    if (seed.placement) incumbent.offer(*seed.placement, seed.spec);
    if (seed.lower_bound) incumbent.raise_bound(*seed.lower_bound, seed.spec);
    // A method that proves its own placement optimal proves its value.
    if (seed.proven_optimal) incumbent.raise_bound(seed.score.value, seed.spec);
  };
  const auto settled = [&] { return incumbent.closed(kSettled); };
  const auto outcome = [&](const std::string& reason) {
    Outcome result = incumbent.outcome(kSettled);
    if (!result.placement) result.reason = reason;
    return result;
  };

  Budget first = budget.share(0.25);
  const SeedSet set = collect_seeds(usual_seeds(problem), problem, first, rng);
  incumbent.add(set.contradictions);
  for (const Seed& seed : set.seeds) take(seed);
  if (set.lower_bound) incumbent.raise_bound(*set.lower_bound, set.bound_by);
  if (problem.model().bounds_count_replicas() && !budget.spent()) {
    Budget part = budget.share(0.25);
    Rng stream = rng.split("replicate");
    const Outcome shared = make_placer("replicate")->place(problem, part, stream);
    incumbent.add(shared.contradictions);
    if (shared.placement) incumbent.offer(*shared.placement, "replicate");
  }
  if (set.seeds.empty() || settled() || budget.spent()) return outcome(set.reason);

  const std::optional<std::string> exact = exact_method(problem, budget);
  Budget second = budget.share(exact ? 0.25 : 1.0);
  second.report(
      {.phase = "anneal", .best = set.seeds.front().score.value, .bound = incumbent.bound()});
  const Outcome annealed = anneal_from(problem, set.seeds, {}, second, rng);
  if (annealed.placement) incumbent.offer(*annealed.placement, "anneal");
  if (exact && !settled() && !budget.spent()) {
    const Seed proof = seed_from(*exact, problem, budget, rng);
    incumbent.add(proof.contradictions);
    take(proof);
  }
  return outcome(annealed.reason.empty() ? set.reason : annealed.reason);
}

}  // namespace berth
