#include "berth/base/median_interval.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstddef>
#include <vector>

namespace berth {
namespace {

// How many samples to leave out on each side.
std::size_t left_out(std::size_t n) {
  double below = 0;                                  // P[binomial(n, 1/2) <= k]
  double term = std::exp2(-static_cast<double>(n));  // P[binomial(n, 1/2) = k]
  for (std::size_t k = 0; k < n; ++k) {
    below += term;
    if (below > 0.025) return k > 0 ? k - 1 : 0;
    term *= static_cast<double>(n - k) / static_cast<double>(k + 1);
  }
  return 0;
}

}  // namespace

MedianInterval median_interval(std::span<const double> samples) {
  assert(!samples.empty());
  std::vector<double> sorted(samples.begin(), samples.end());
  std::sort(sorted.begin(), sorted.end());
  const std::size_t n = sorted.size();
  // Far beyond a thousand samples the terms vanish; the normal approximation takes over.
  const std::size_t skip =
      n <= 1000 ? left_out(n)
                : n / 2 - static_cast<std::size_t>(0.98 * std::sqrt(static_cast<double>(n)));
  return {(sorted[(n - 1) / 2] + sorted[n / 2]) / 2, sorted[skip], sorted[n - 1 - skip]};
}

}  // namespace berth
