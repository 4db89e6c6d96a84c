#include "berth/place/auto_place.h"

#include <algorithm>

#include "berth/place/bounds.h"
#include "berth/place/exact/milp.h"
#include "berth/place/heuristic/anneal.h"
#include "berth/place/registry.h"
#include "berth/place/seeds.h"

namespace berth {
namespace {

constexpr std::size_t kSmall = 200;    // units times devices: proven in moments
constexpr std::size_t kLarge = 20000;  // beyond: the integer program does not even start in time

// The method that can prove the optimum of this problem within the budget, if there is one.
std::optional<std::string> exact_method(const Problem& problem, const Budget& budget) {
  if (problem.execution() != Execution::kCall || !milp_available()) return std::nullopt;
  const std::size_t size = problem.unit_count() * problem.device_count();
  if (size > (budget.limits().seconds ? kLarge : kSmall)) return std::nullopt;
  if (problem.objective() == Objective::kLatency) return "latency-ip";
  return "throughput-ip";
}

Budget share_of(const Budget& budget, double fraction) {
  Budget::Limits share;
  if (const std::optional<double> left = budget.seconds_left()) share.seconds = fraction * *left;
  return budget.part(share);
}

// What one step after the other has found and proven.
class Best {
 public:
  explicit Best(const Problem& problem) : bound_(lower_bound(problem).value) {}

  void offer(const std::optional<Placement>& placement, const Score& score, const std::string& by) {
    if (!placement || !score.feasible() || (outcome_.placement && !(score < score_))) return;
    outcome_.placement = placement;
    outcome_.found_by = by;
    score_ = score;
  }
  void raise_bound(const std::optional<Duration>& bound) {
    if (!bound) return;
    outcome_.lower_bound = std::max(outcome_.lower_bound.value_or(Duration{0}), *bound);
    bound_ = std::max(bound_, *bound);
  }
  // A method that proves its own placement optimal proves its value.
  void raise_bound(const Seed& seed) {
    raise_bound(seed.lower_bound);
    if (seed.proven_optimal) raise_bound(seed.score.value);
  }
  bool settled() const { return outcome_.placement && score_.value <= bound_ * (1 + 1e-9); }
  Duration bound() const { return bound_; }

  Outcome outcome(const std::string& reason) && {
    if (!outcome_.placement) outcome_.reason = reason;
    outcome_.proven_optimal = settled();
    if (outcome_.lower_bound && outcome_.placement)
      outcome_.lower_bound = std::min(*outcome_.lower_bound, score_.value);
    return std::move(outcome_);
  }

 private:
  Outcome outcome_;
  Score score_;
  Duration bound_;
};

}  // namespace

Outcome Auto::place(const Problem& problem, Budget& budget, Rng& rng) const {
  Best best(problem);
  Budget first = share_of(budget, 0.25);
  const SeedSet set = collect_seeds(usual_seeds(problem), problem, first, rng);
  budget.count(first.evaluations());
  best.raise_bound(set.lower_bound);
  for (const Seed& seed : set.seeds) {
    best.raise_bound(seed);
    best.offer(seed.placement, seed.score, seed.spec);
  }
  if (problem.execution() == Execution::kPieces && problem.objective() == Objective::kThroughput &&
      !budget.spent()) {
    Budget part = share_of(budget, 0.25);
    Rng stream = rng.split("replicate");
    const Outcome shared = make_placer("replicate")->place(problem, part, stream);
    budget.count(part.evaluations());
    if (shared.placement)
      best.offer(shared.placement, Evaluator(problem)(*shared.placement), "replicate");
  }
  if (set.seeds.empty() || best.settled() || budget.spent()) return std::move(best).outcome(set.reason);

  const std::optional<std::string> exact = exact_method(problem, budget);
  Budget second = share_of(budget, exact ? 0.25 : 1.0);
  second.report({.phase = "anneal", .best = set.seeds.front().score.value, .bound = best.bound()});
  const Outcome annealed = anneal_from(problem, set.seeds, {}, second, rng);
  budget.count(second.evaluations());
  if (annealed.placement)
    best.offer(annealed.placement, Evaluator(problem)(*annealed.placement), "anneal");
  if (exact && !best.settled() && !budget.spent()) {
    const Seed proof = seed_from(*exact, problem, budget, rng);
    best.raise_bound(proof);
    best.offer(proof.placement, proof.score, *exact);
  }
  std::string reason = annealed.reason.empty() ? set.reason : annealed.reason;
  return std::move(best).outcome(reason);
}

}  // namespace berth
