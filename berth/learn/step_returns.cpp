#include "berth/learn/step_returns.h"

#include <algorithm>
#include <string>

namespace berth {
namespace {

constexpr std::size_t kEpisodes = 10;
constexpr double kLargestCost = 100;  // of a time: what never ends costs that much
constexpr double kLargestOverflow = 10;

}  // namespace

double relative_cost(const Score& score, Duration reference) {
  const double time = std::min(score.value / std::max(reference, Duration{1e-9}), kLargestCost);
  return score.feasible() ? time : time + 1 + 4 * std::min(score.overflow, kLargestOverflow);
}

std::vector<double> step_returns(std::span<const double> costs, double gamma) {
  std::vector<double> returns(costs.empty() ? 0 : costs.size() - 1);
  double after = 0;
  for (std::size_t t = returns.size(); t-- > 0;)
    returns[t] = after = costs[t] - costs[t + 1] + gamma * after;
  return returns;
}

std::vector<std::vector<double>> StepBaseline::advantages(
    const std::vector<std::vector<double>>& returns) {
  last_.insert(last_.end(), returns.begin(), returns.end());
  while (last_.size() > std::max(kEpisodes, returns.size())) last_.pop_front();
  std::vector<std::vector<double>> result = returns;
  const std::size_t steps = returns.empty() ? 0 : returns.front().size();
  for (std::size_t t = 0; t < steps; ++t) {
    double sum = 0, count = 0;
    for (const std::vector<double>& episode : last_) {
      if (t >= episode.size()) continue;  // one that the budget cut short
      sum += episode[t];
      ++count;
    }
    for (std::vector<double>& episode : result) episode[t] -= sum / count;
  }
  return result;
}

void StepBaseline::save(Archive& archive) const {
  for (std::size_t i = 0; i < last_.size(); ++i)
    archive.numbers["episode" + std::to_string(i)] = last_[i];
}

void StepBaseline::load(const Archive& archive) {
  last_.clear();
  for (std::size_t i = 0; i < archive.numbers.size(); ++i)
    last_.push_back(archive.numbers.at("episode" + std::to_string(i)));
}

}  // namespace berth
