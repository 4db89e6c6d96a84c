// A time from repeated measurements: its median and a 95 % interval.
//
// Timings are skewed by whatever else the machine does, so nothing about their distribution is
// assumed: the interval is that of order statistics (base/median_interval.h).
#pragma once

#include <span>
#include <vector>

#include "berth/base/median_interval.h"
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
inline Estimate estimate(std::span<const Duration> samples) {
  std::vector<double> micros;
  for (const Duration sample : samples) micros.push_back(sample.count());
  const auto [median, low, high] = median_interval(micros);
  return {Duration{median}, Duration{low}, Duration{high}, static_cast<int>(samples.size())};
}

}  // namespace berth
