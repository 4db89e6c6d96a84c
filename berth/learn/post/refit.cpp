#include "berth/learn/post/refit.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace berth {
namespace {

double probability_below(double log_level, const PostSample& sample) {
  const double distance = log_level - std::log(sample.value);
  if (sample.deviation == 0) return distance >= 0 ? 1 : 0;
  return 0.5 * std::erfc(-distance / (sample.deviation * std::sqrt(2.0)));
}

// Rounding must not make 0.1 * 640 more than 64.
std::size_t elite_size(std::size_t samples, double share) {
  const double wanted = std::ceil(share * static_cast<double>(samples) - 1e-9);
  return static_cast<std::size_t>(std::max(wanted, 1.0));
}

}  // namespace

std::vector<double> elite_weights(std::span<const PostSample> pool, double share) {
  std::vector<double> logs;
  bool certain = true;
  for (const PostSample& sample : pool) {
    if (!sample.feasible) continue;
    logs.push_back(std::log(sample.value));
    certain = certain && sample.deviation == 0;
  }
  std::vector<double> weights(pool.size(), 0.0);
  if (logs.empty()) return weights;
  const std::size_t size = elite_size(pool.size(), share);
  double level = std::numeric_limits<double>::infinity();
  if (size < logs.size()) {
    std::nth_element(logs.begin(), logs.begin() + static_cast<std::ptrdiff_t>(size), logs.end());
    const double next = logs[size];
    level = *std::max_element(logs.begin(), logs.begin() + static_cast<std::ptrdiff_t>(size));
    if (!certain) level = (level + next) / 2;
  }
  for (std::size_t n = 0; n < pool.size(); ++n)
    if (pool[n].feasible) weights[n] = probability_below(level, pool[n]);
  return weights;
}

bool refit(DeviceTable& table, std::span<const PostSample> pool, const RefitOptions& options) {
  const std::vector<double> weights = elite_weights(pool, options.share);
  double total = 0;
  for (const double weight : weights) total += weight;
  if (total == 0) return false;
  const std::size_t devices = table.devices();
  std::vector<double> next(table.probabilities());
  for (double& u : next) u *= 1 - options.smoothing;
  for (std::size_t n = 0; n < pool.size(); ++n) {
    if (weights[n] == 0) continue;
    for (std::size_t m = 0; m < table.groups(); ++m)
      next[m * devices + pool[n].devices[m]] += options.smoothing * weights[n] / total;
  }
  table.set_weights(next);
  table.mix_with_uniform(options.mixing);
  return true;
}

}  // namespace berth
