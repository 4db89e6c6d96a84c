#include "berth/learn/moving_baseline.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace berth {
namespace {

constexpr double kPerOverflow = 4, kMostOverflow = 10;

}  // namespace

double RootReward::operator()(const Score& score, Duration reference) const {
  if (!score.feasible() || score.value == kForever)
    return -failure - (graded ? kPerOverflow * std::min(score.overflow, kMostOverflow) : 0.0);
  return -std::min(failure, std::sqrt(score.value / std::max(reference, Duration{1e-9})));
}

std::vector<double> MovingBaseline::advantages(std::span<const double> rewards) {
  const double mean = std::accumulate(rewards.begin(), rewards.end(), 0.0) /
                      static_cast<double>(std::max<std::size_t>(rewards.size(), 1));
  const double baseline = average_.value_or(mean);
  average_ = decay_ * baseline + (1 - decay_) * mean;
  std::vector<double> result;
  for (const double reward : rewards) result.push_back(reward - baseline);
  return result;
}

void MovingBaseline::save(Archive& archive) const {
  archive.numbers["average"] = {};
  if (average_) archive.numbers["average"] = {*average_};
}

void MovingBaseline::load(const Archive& archive) {
  const std::vector<double>& kept = archive.numbers.at("average");
  average_ = kept.empty() ? std::nullopt : std::optional(kept.front());
}

}  // namespace berth
