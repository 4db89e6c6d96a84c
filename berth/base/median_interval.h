// The median of repeated measurements and a 95 % interval, whatever their distribution.
//
// The number of samples below the true median is binomial(n, 1/2), so the interval runs between the
// order statistics that leave out at most 2.5 % on each side:
//   low = x(k), high = x(n+1-k), k the largest with P[binomial(n, 1/2) < k] <= 0.025
// From six samples on that is an interval of 95 %; fewer give the whole range. O(n log n).
#pragma once

#include <span>

namespace berth {

struct MedianInterval {
  double median = 0, low = 0, high = 0;

  friend bool operator==(const MedianInterval&, const MedianInterval&) = default;
};

// At least one sample.
MedianInterval median_interval(std::span<const double> samples);

}  // namespace berth
