#include "berth/search/incumbent.h"

namespace berth {

Incumbent::Incumbent(const Problem& problem, const Budget& budget, std::string method)
    : problem_(problem), budget_(budget), method_(std::move(method)), evaluator_(problem) {}

Incumbent::Verdict Incumbent::judge(const Placement& placement, const std::string& by,
                                    const char* phase, bool keep) {
  const Score score = evaluator_(placement);
  if (keep && (!draft_ || score < draft_score_)) {
    draft_ = placement;
    draft_score_ = score;
  }
  if (!score.feasible() || (said_.placement && !(score < score_)) ||
      broken_rule(problem_, placement))
    return {score, false};
  said_.placement = placement;
  said_.found_by = name(by);
  said_.improvements.push_back(
      {budget_.elapsed(), score.value, said_.found_by, budget_.evaluations()});
  score_ = score;
  if (bounds_count(placement)) claims_.found(score.value, said_.found_by);
  report(phase);
  return {score, true};
}

Incumbent::Verdict Incumbent::offer(const Placement& placement, const std::string& by,
                                    const char* phase) {
  const std::lock_guard lock(mutex_);
  return judge(placement, by, phase, false);
}

Incumbent::Verdict Incumbent::suggest(const Placement& placement, const std::string& by,
                                      const char* phase) {
  const std::lock_guard lock(mutex_);
  return judge(placement, by, phase, true);
}

void Incumbent::raise_bound(Duration bound, const std::string& by, const char* phase) {
  const std::lock_guard lock(mutex_);
  claims_.bound(bound, name(by));
  report(phase);
}

void Incumbent::prove(const std::string& by) {
  const std::lock_guard lock(mutex_);
  if (!said_.placement || claims_.is_refuted(name(by))) return;
  proven_ = score_.value;
  claims_.bound(score_.value, name(by));
}

void Incumbent::prove_impossible(std::string reason) {
  const std::lock_guard lock(mutex_);
  said_.impossible = true;
  said_.reason = std::move(reason);
}

void Incumbent::only_contiguous() {
  const std::lock_guard lock(mutex_);
  said_.contiguous = true;
}

void Incumbent::refute(const std::vector<Contradiction>& contradictions) {
  const std::lock_guard lock(mutex_);
  claims_.refute(contradictions);
}

void Incumbent::fail(std::string reason) {
  const std::lock_guard lock(mutex_);
  said_.reason = std::move(reason);
}

void Incumbent::note(std::string text) {
  const std::lock_guard lock(mutex_);
  said_.notes.push_back(std::move(text));
}

void Incumbent::take(const Outcome& outcome, const std::string& by) {
  const std::lock_guard lock(mutex_);
  claims_.refute(outcome.contradictions);
  if (outcome.placement)
    judge(*outcome.placement, outcome.found_by.empty() ? by : outcome.found_by, nullptr, true);
  if (outcome.lower_bound)
    claims_.bound(*outcome.lower_bound, name(outcome.bound_by.empty() ? by : outcome.bound_by));
  if (outcome.proven_optimal && said_.placement == outcome.placement) proven_ = score_.value;
  said_.impossible |= outcome.impossible;
  said_.contiguous |= outcome.contiguous;
  if (!outcome.reason.empty()) said_.reason = outcome.reason;
  said_.notes.insert(said_.notes.end(), outcome.notes.begin(), outcome.notes.end());
}

void Incumbent::set_curve(std::vector<CurvePoint> curve) {
  const std::lock_guard lock(mutex_);
  said_.curve = std::move(curve);
}

void Incumbent::choose_measured(const Placement& placement, Duration measured) {
  const std::lock_guard lock(mutex_);
  if (said_.placement != placement) said_.found_by = method_;
  said_.placement = placement;
  said_.measured = measured;
  score_ = evaluator_(placement);
}

std::optional<Placement> Incumbent::placement() const {
  const std::lock_guard lock(mutex_);
  return said_.placement;
}

std::optional<Placement> Incumbent::draft() const {
  const std::lock_guard lock(mutex_);
  return draft_;
}

Score Incumbent::draft_score() const {
  const std::lock_guard lock(mutex_);
  return draft_score_;
}

Duration Incumbent::value() const {
  const std::lock_guard lock(mutex_);
  return said_.placement ? score_.value : kForever;
}

Duration Incumbent::bound() const {
  const std::lock_guard lock(mutex_);
  return claims_.best();
}

bool Incumbent::closed(double gap) const {
  const std::lock_guard lock(mutex_);
  return is_closed(gap);
}

Outcome Incumbent::outcome() const {
  const std::lock_guard lock(mutex_);
  Outcome outcome = said_;
  if (outcome.placement)
    outcome.reason.clear();
  else if (outcome.reason.empty())
    outcome.placement = draft_;
  if (outcome.found_by == method_) outcome.found_by.clear();
  outcome.bound_by = claims_.best_by();
  // A better placement than the one proven to be the best: the proof was wrong (claims.h).
  const bool proven = proven_ && score_.value >= *proven_ * (1 - kSameValue);
  outcome.proven_optimal =
      said_.placement && (proven || (bounds_count(*said_.placement) && is_closed(kSettled)));
  if (claims_.best() > Duration{0} || outcome.proven_optimal) outcome.lower_bound = claims_.best();
  outcome.contradictions = claims_.contradictions();
  return outcome;
}

void Incumbent::report(const char* phase) const {
  if (phase == nullptr) return;
  Progress progress{.phase = phase, .best = {}, .bound = {}};
  if (claims_.best() > Duration{0}) progress.bound = claims_.best();
  if (said_.placement) progress.best = score_.value;
  budget_.report(progress);
}

}  // namespace berth
