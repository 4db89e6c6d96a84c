#include "berth/place/budget.h"

#include <algorithm>

namespace berth {

double Budget::fraction() const {
  double done = 0;
  if (limits_.seconds)
    done = *limits_.seconds > 0 ? std::max(done, elapsed() / *limits_.seconds) : 1.0;
  if (limits_.evaluations)
    done = *limits_.evaluations > 0
               ? std::max(done, static_cast<double>(evaluations_) /
                                    static_cast<double>(*limits_.evaluations))
               : 1.0;
  return std::min(done, 1.0);
}

Budget Budget::part(Limits limits) const {
  Budget share = *this;
  share.start_ = std::chrono::steady_clock::now();
  share.evaluations_ = 0;
  share.meter_ = {};
  share.measurements_ = 0;
  share.limits_ = limits;
  if (const std::optional<double> left = seconds_left())
    share.limits_.seconds = std::min(*left, limits.seconds.value_or(*left));
  if (limits_.evaluations) {
    const std::uint64_t left =
        *limits_.evaluations > evaluations_ ? *limits_.evaluations - evaluations_ : 0;
    share.limits_.evaluations = std::min(left, limits.evaluations.value_or(left));
  }
  return share;
}

void Budget::report(Progress progress) const {
  if (!callback_) return;
  progress.fraction = std::max(progress.fraction, fraction());
  progress.evaluations = std::max(progress.evaluations, evaluations_);
  callback_(progress);
}

}  // namespace berth
