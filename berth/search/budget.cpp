#include "berth/search/budget.h"

#include <algorithm>

namespace berth {

Budget::Budget(Budget& whole, Limits limits)
    : whole_(&whole), limits_(limits), stop_(whole.stop_), also_stop_(whole.also_stop_) {
  if (const std::optional<double> left = whole.seconds_left())
    limits_.seconds = std::min(*left, limits.seconds.value_or(*left));
  if (const std::optional<std::uint64_t> left = whole.evaluations_left())
    limits_.evaluations = std::min(*left, limits.evaluations.value_or(*left));
}

Budget Budget::share(double fraction) {
  const std::optional<double> left = seconds_left();
  return part(
      {.seconds = left ? std::optional(*left * fraction) : std::nullopt, .evaluations = {}});
}

std::optional<std::uint64_t> Budget::evaluations_left() const {
  std::optional<std::uint64_t> left;
  for (const Budget* at = this; at != nullptr; at = at->whole_) {
    if (!at->limits_.evaluations) continue;
    const std::uint64_t most = *at->limits_.evaluations;
    const std::uint64_t here = most - std::min(most, at->evaluations());
    left = std::min(left.value_or(here), here);
  }
  return left;
}

double Budget::fraction() const {
  double done = 0;
  if (limits_.seconds)
    done = *limits_.seconds > 0 ? std::max(done, elapsed() / *limits_.seconds) : 1.0;
  if (limits_.evaluations)
    done = *limits_.evaluations > 0 ? std::max(done, static_cast<double>(evaluations()) /
                                                         static_cast<double>(*limits_.evaluations))
                                    : 1.0;
  return std::min(done, 1.0);
}

void Budget::report(Progress progress) const {
  const Budget* top = this;
  while (top->whole_ != nullptr) top = top->whole_;
  if (!top->callback_) return;
  progress.fraction = std::max(progress.fraction, fraction());
  progress.evaluations = std::max(progress.evaluations, evaluations());
  const std::lock_guard lock(top->reporting_);
  top->callback_(progress);
}

}  // namespace berth
