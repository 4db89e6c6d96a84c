#include "berth/search/incumbent.h"

#include "berth/search/bounds.h"

namespace berth {

Incumbent::Incumbent(const Problem& problem, const Budget& budget)
    : problem_(problem), budget_(budget), evaluator_(problem) {
  claims_.bound(lower_bound(problem).value, "bounds");
}

bool Incumbent::offer(const Placement& placement, const std::string& by, const char* phase) {
  const std::lock_guard lock(mutex_);
  const Score score = evaluator_(placement);
  if (!score.feasible() || (placement_ && !(score < score_))) return false;
  if (broken_rule(problem_, placement)) return false;
  placement_ = placement;
  score_ = score;
  found_by_ = by;
  if (placement.replicas.empty() || problem_.model().bounds_count_replicas())
    claims_.found(score.value, by);
  report(phase);
  return true;
}

void Incumbent::raise_bound(Duration bound, const std::string& by, const char* phase) {
  const std::lock_guard lock(mutex_);
  claims_.bound(bound, by);
  report(phase);
}

void Incumbent::add(const std::vector<Contradiction>& contradictions) {
  const std::lock_guard lock(mutex_);
  claims_.refute(contradictions);
}

void Incumbent::refute(Contradiction contradiction) {
  const std::lock_guard lock(mutex_);
  claims_.refute(std::move(contradiction));
}

std::optional<Placement> Incumbent::placement() const {
  const std::lock_guard lock(mutex_);
  return placement_;
}

Duration Incumbent::value() const {
  const std::lock_guard lock(mutex_);
  return placement_ ? score_.value : kForever;
}

Duration Incumbent::bound() const {
  const std::lock_guard lock(mutex_);
  return claims_.best();
}

bool Incumbent::closed(double gap) const {
  const std::lock_guard lock(mutex_);
  return is_closed(gap);
}

Outcome Incumbent::outcome(double gap) const {
  const std::lock_guard lock(mutex_);
  Outcome outcome;
  outcome.placement = placement_;
  outcome.lower_bound = claims_.best();
  outcome.bound_by = claims_.best_by();
  outcome.proven_optimal = is_closed(gap);
  outcome.found_by = found_by_;
  outcome.contradictions = claims_.contradictions();
  return outcome;
}

void Incumbent::report(const char* phase) const {
  if (phase == nullptr) return;
  Progress progress{.phase = phase, .best = {}, .bound = claims_.best()};
  if (placement_) progress.best = score_.value;
  budget_.report(progress);
}

}  // namespace berth
