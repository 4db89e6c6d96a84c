#include "berth/runtime/estimate.h"

#include <vector>

#include "berth/base/median_interval.h"

namespace berth {

Estimate estimate(std::span<const Duration> samples) {
  std::vector<double> micros;
  for (const Duration sample : samples) micros.push_back(sample.count());
  const MedianInterval interval = median_interval(micros);
  return {.median = Duration{interval.median},
          .low = Duration{interval.low},
          .high = Duration{interval.high},
          .samples = static_cast<int>(samples.size())};
}

}  // namespace berth
