#include "berth/place/incumbent.h"

#include <algorithm>

#include <fmt/format.h>

#include "berth/place/bounds.h"

namespace berth {

Contradiction bound_above_value(const std::string& claimed_by, Duration bound,
                                const std::string& found_by, Duration value) {
  return {claimed_by, found_by,
          fmt::format("{} claims that no placement takes less than {:.9g} ms, but that of {} takes "
                      "{:.9g} ms: the bound is dropped",
                      claimed_by, in_milliseconds(bound), found_by, in_milliseconds(value))};
}

Incumbent::Incumbent(const Problem& problem, const Budget& budget)
    : problem_(problem), budget_(budget), evaluator_(problem) {
  claims_["bounds"].bound = lower_bound(problem).value;
}

bool Incumbent::offer(const Placement& placement, const std::string& by, const char* phase) {
  const std::lock_guard lock(mutex_);
  const Score score = evaluator_(placement);
  if (!score.feasible() || (placement_ && !(score < score_))) return false;
  if (broken_rule(problem_, placement)) return false;
  placement_ = placement;
  score_ = score;
  found_by_ = by;
  check_claims();
  report(phase);
  return true;
}

void Incumbent::raise_bound(Duration bound, const std::string& by, const char* phase) {
  const std::lock_guard lock(mutex_);
  Claim& claim = claims_[by];
  if (claim.refuted || !(bound > claim.bound)) return;
  claim.bound = bound;
  check_claims();
  report(phase);
}

void Incumbent::check_claims() {
  if (!placement_) return;
  if (!placement_->replicas.empty() && !bounds_count_replicas(problem_.model())) return;
  for (auto& [by, claim] : claims_) {
    if (claim.refuted || !contradicts(claim.bound, score_.value)) continue;
    claim.refuted = true;
    contradictions_.push_back(bound_above_value(by, claim.bound, found_by_, score_.value));
  }
}

void Incumbent::add(const std::vector<Contradiction>& contradictions) {
  for (const Contradiction& contradiction : contradictions) refute(contradiction);
}

void Incumbent::refute(Contradiction contradiction) {
  const std::lock_guard lock(mutex_);
  claims_[contradiction.claimed_by].refuted = true;
  contradictions_.push_back(std::move(contradiction));
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
  return best_bound();
}

Duration Incumbent::best_bound() const {
  Duration best{0};
  for (const auto& [by, claim] : claims_)
    if (!claim.refuted) best = std::max(best, claim.bound);
  return best;
}

bool Incumbent::closed(double gap) const {
  const std::lock_guard lock(mutex_);
  return is_closed(gap);
}

Outcome Incumbent::outcome(double gap) const {
  const std::lock_guard lock(mutex_);
  Outcome outcome;
  outcome.placement = placement_;
  outcome.lower_bound = best_bound();
  for (const auto& [by, claim] : claims_)
    if (!claim.refuted && claim.bound == *outcome.lower_bound) outcome.bound_by = by;
  outcome.proven_optimal = is_closed(gap);
  outcome.found_by = found_by_;
  outcome.contradictions = contradictions_;
  return outcome;
}

void Incumbent::report(const char* phase) const {
  if (phase == nullptr) return;
  Progress progress{.phase = phase, .best = {}, .bound = best_bound()};
  if (placement_) progress.best = score_.value;
  budget_.report(progress);
}

}  // namespace berth
