#include "berth/portfolio.h"

#include "berth/place/registry.h"
#include "berth/place/seeds.h"
#include "berth/search/annealing.h"
#include "berth/search/bounds.h"
#include "berth/solvers/milp.h"

namespace berth {
namespace {

constexpr std::size_t kSmall = 200;    // units times devices: proven in moments
constexpr std::size_t kLarge = 20000;  // beyond: the integer program does not even start in time

// The search that can prove the optimum of this problem within the budget, if there is one. What
// proves and is near linear or a seed has run by then.
const char* exact_method(const Problem& problem, const Budget& budget) {
  const std::size_t size = problem.unit_count() * problem.device_count();
  if (!milp_available() || size > (budget.limits().seconds ? kLarge : kSmall)) return nullptr;
  for (const PlacerEntry& entry : placers())
    if (entry.traits.growth == Growth::kBudget && is_of_kind(problem, entry.traits.proves))
      return entry.name;
  return nullptr;
}

}  // namespace

void portfolio(const Context& context, const NoOptions&) {
  const Problem& problem = context.problem;
  Incumbent& incumbent = context.incumbent;
  Budget& budget = context.budget;
  const auto settled = [&] { return incumbent.closed(kSettled); };

  incumbent.raise_bound(lower_bound(problem).value, "bounds");
  Budget first = budget.share(0.25);
  const std::vector<Seed> seeds =
      collect_seeds(usual_seeds(problem), Context(problem, incumbent, first, context.rng));
  if (problem.model().bounds_count_replicas() && !budget.spent()) {
    Budget part = budget.share(0.25);
    const Outcome shared = run_method("replicate", problem, part, context.rng.split("replicate"));
    incumbent.refute(shared.contradictions);
    if (shared.placement) incumbent.offer(*shared.placement, "replicate");
  }
  if (seeds.empty() || settled() || budget.spent()) return;

  const bool has_blocks = is_of_kind(problem, kConcurrentRuns);
  if (has_blocks) {
    Budget part = budget.share(0.4);
    const char* const spec = budget.limits().seconds ? "block-dp" : "block-dp(width=512)";
    seed_from(spec, Context(problem, incumbent, part, context.rng));
    if (settled() || budget.spent()) return;
  }
  const char* const exact = has_blocks ? nullptr : exact_method(problem, budget);
  Budget second = budget.share(exact != nullptr ? 0.25 : 1.0);
  second.report({.phase = "anneal", .best = seeds.front().score.value, .bound = incumbent.bound()});
  incumbent.offer(anneal_from(problem, seeds, incumbent.bound(), {}, second, context.rng),
                  "anneal");
  if (exact != nullptr && !settled() && !budget.spent()) seed_from(exact, context);
}

}  // namespace berth
