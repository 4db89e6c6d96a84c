// Two placements compared in real runs, one against the other.
//
// A machine is never twice the same, so times of two placements that were taken at different
// moments say little when they differ by a few per cent. Here they take turns, in the order ABBA
// ABBA, which cancels any drift that is linear, and each pair gives one logarithm of a ratio:
//   x_i = log(candidate_i / incumbent_i)
// The candidate is faster only if the 95 % interval of the median of x (base/median_interval.h)
// lies below zero. The test is one-sided in cost: after the sixth pair it ends as soon as the
// median is not below zero, which saves measurements and can only keep the incumbent.
#pragma once

#include <optional>

#include "berth/base/median_interval.h"
#include "berth/base/units.h"
#include "berth/placement.h"
#include "berth/search/budget.h"

namespace berth {

inline constexpr int kFewestPairs = 6;  // below, no interval of 95 % exists

struct PairedComparison {
  int pairs = 0;
  MedianInterval log_ratio;             // of candidate / incumbent
  Duration candidate{0}, incumbent{0};  // medians

  bool candidate_is_faster() const { return pairs >= kFewestPairs && log_ratio.high < 0; }
};

// At most `pairs` pairs, two measurements each; fewer when the budget is stopped. Empty when there
// was not one, or when the candidate is refused by its devices.
std::optional<PairedComparison> compare_paired(const Placement& candidate,
                                               const Placement& incumbent, int pairs,
                                               Budget& budget);

}  // namespace berth
