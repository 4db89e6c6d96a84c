#include "berth/learn/post/proximal.h"

#include <algorithm>
#include <cassert>
#include <cmath>

namespace berth {
namespace {

constexpr double kLargestLogRatio = 20;
constexpr double kTolerance = 1.5;      // of the target, either way, before beta changes
constexpr double kFarthest = 2;         // of the target, in any step
constexpr int kHalvings = 60;           // of one step, before it is given up
constexpr double kSmallestBeta = 1e-6;  // so that a policy at rest can still be held

double ratio(const DeviceTable& table, const DeviceTable& old, const PostSample& sample) {
  const double log_ratio =
      table.log_probability(sample.devices) - old.log_probability(sample.devices);
  return std::exp(std::clamp(log_ratio, -kLargestLogRatio, kLargestLogRatio));
}

// Moves the table, if some part of the step stays near enough to the old one.
bool step(DeviceTable& table, const DeviceTable& old, std::span<const double> gradient, double rate,
          double farthest) {
  for (int halvings = 0; halvings < kHalvings; ++halvings, rate /= 2) {
    DeviceTable next = table;
    next.add_to_logits(gradient, rate);
    if (!(divergence(old, next) <= farthest)) continue;
    table = std::move(next);
    return true;
  }
  return false;
}

}  // namespace

double proximal_objective(const DeviceTable& table, const DeviceTable& old,
                          const ProximalBatch& batch, double beta) {
  double sum = 0;
  for (std::size_t n = 0; n < batch.samples.size(); ++n)
    sum += ratio(table, old, batch.samples[n]) * batch.advantages[n];
  return sum / static_cast<double>(batch.samples.size()) - beta * divergence(old, table);
}

std::vector<double> proximal_gradient(const DeviceTable& table, const DeviceTable& old,
                                      const ProximalBatch& batch, double beta) {
  assert(batch.samples.size() == batch.advantages.size());
  const std::vector<double>&u = table.probabilities(), &u_old = old.probabilities();
  std::vector<double> gradient(u.size(), 0.0);
  double total = 0;
  for (std::size_t n = 0; n < batch.samples.size(); ++n) {
    const double weight = ratio(table, old, batch.samples[n]) * batch.advantages[n] /
                          static_cast<double>(batch.samples.size());
    total += weight;
    for (std::size_t m = 0; m < table.groups(); ++m)
      gradient[m * table.devices() + batch.samples[n].devices[m]] += weight;
  }
  for (std::size_t i = 0; i < u.size(); ++i) gradient[i] -= total * u[i] + beta * (u[i] - u_old[i]);
  return gradient;
}

ProximalResult proximal_ascent(const DeviceTable& old, const ProximalBatch& batch, double beta,
                               const ProximalOptions& options) {
  ProximalResult result{.table = old, .divergence = 0, .beta = beta};
  const double rate = std::min(options.rate, 1 / beta);
  for (int i = 0; i < options.steps; ++i)
    if (!step(result.table, old, proximal_gradient(result.table, old, batch, beta), rate,
              kFarthest * options.target))
      break;
  result.divergence = divergence(old, result.table);
  if (result.divergence > kTolerance * options.target) result.beta = 2 * beta;
  if (result.divergence < options.target / kTolerance)
    result.beta = std::max(beta / 2, kSmallestBeta);
  return result;
}

}  // namespace berth
