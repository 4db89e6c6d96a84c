#include "berth/search/claims.h"

#include <fmt/format.h>

namespace berth {

void Claims::found(Duration value, const std::string& by) {
  if (!(value < value_)) return;
  value_ = value;
  found_by_ = by;
  check();
}

void Claims::bound(Duration value, const std::string& by) {
  Claim& claim = by_method_[by];
  if (claim.refuted || !(value > claim.bound)) return;
  claim.bound = value;
  check();
}

void Claims::check() {
  const double top = value_.count() + kSameValue * std::max(value_.count(), 1e-9);
  for (auto& [by, claim] : by_method_) {
    if (claim.refuted || claim.bound.count() <= top) continue;
    claim.refuted = true;
    contradictions_.push_back(
        {by, found_by_,
         fmt::format("{} claims that no placement takes less than {:.9g} ms, but that of {} takes "
                     "{:.9g} ms: the bound is dropped",
                     by, in_milliseconds(claim.bound), found_by_, in_milliseconds(value_))});
  }
}

void Claims::refute(Contradiction contradiction) {
  by_method_[contradiction.claimed_by].refuted = true;
  contradictions_.push_back(std::move(contradiction));
}

void Claims::refute(const std::vector<Contradiction>& contradictions) {
  for (const Contradiction& contradiction : contradictions) refute(contradiction);
}

bool Claims::is_refuted(const std::string& by) const {
  const auto at = by_method_.find(by);
  return at != by_method_.end() && at->second.refuted;
}

Duration Claims::best() const {
  Duration best{0};
  for (const auto& [by, claim] : by_method_)
    if (!claim.refuted) best = std::max(best, claim.bound);
  return best;
}

std::string Claims::best_by() const {
  std::string name;
  Duration best{0};
  for (const auto& [by, claim] : by_method_) {
    if (claim.refuted || !(claim.bound > best)) continue;
    best = claim.bound;
    name = by;
  }
  return name;
}

}  // namespace berth
