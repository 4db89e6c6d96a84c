// A time from repeated measurements: its median and a 95 % interval.
//
// Timings are skewed by whatever else the machine does, so nothing about their distribution is
// assumed: the number of samples below the true median is binomial(n, 1/2), and the interval runs
// from the largest to the smallest order statistics that leave out at most 2.5 % on each side:
//   low = x(k), high = x(n+1-k), k the largest with P[binomial(n, 1/2) < k] <= 0.025
// From six samples on that is an interval of 95 %; fewer give the whole range. O(n log n).
#pragma once

#include <span>

#include "berth/base/units.h"

namespace berth {

struct Estimate {
  Duration median{0}, low{0}, high{0};
  int samples = 0;

  Duration half_width() const { return (high - low) / 2; }
  // The intervals do not overlap: this one is smaller, and not by chance.
  bool clearly_below(const Estimate& other) const { return high < other.low; }

  friend bool operator==(const Estimate&, const Estimate&) = default;
};

// At least one sample.
Estimate estimate(std::span<const Duration> samples);

}  // namespace berth
