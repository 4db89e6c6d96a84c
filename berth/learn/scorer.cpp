#include "berth/learn/scorer.h"

#include <algorithm>

namespace berth {

Scorer::Scorer(const Problem& problem, const PolicyGraph& graph, std::size_t elite_size)
    : problem_(problem),
      graph_(graph),
      elite_size_(std::max<std::size_t>(elite_size, 1)),
      evaluator_(problem) {}

Score Scorer::simulate_one(const SetDevices& devices) {
  const Placement placement = spread(graph_, devices);
  Score score = evaluator_(placement);
  if (!problem_.apart().empty() && broken_rule(problem_, placement)) score.overflow += 1;
  return score;
}

std::string Scorer::key_of(const SetDevices& devices) {
  std::string key;
  key.reserve(2 * devices.size());
  for (const std::uint32_t device : devices) {
    key.push_back(static_cast<char>(device & 0xff));
    key.push_back(static_cast<char>(device >> 8));
  }
  return key;
}

std::vector<Score> Scorer::score(std::span<const SetDevices> batch, Budget& budget) {
  std::vector<Score> result;
  for (const SetDevices& devices : batch) {
    const auto [found, is_new] = known_.emplace(key_of(devices), Score{});
    if (is_new) {
      found->second = simulate_one(devices);
      ++simulated_;
    }
    budget.count();
    ++asked_;
    admit(devices, found->second);
    result.push_back(found->second);
  }
  return result;
}

void Scorer::admit(const SetDevices& devices, const Score& score) {
  if (!score.feasible() || score.value == kForever) return;
  if (elite_.size() >= elite_size_ && !(score < elite_.back().score)) return;
  const auto place =
      std::upper_bound(elite_.begin(), elite_.end(), score,
                       [](const Score& given, const Elite& other) { return given < other.score; });
  const auto same = [&](const Elite& other) { return other.devices == devices; };
  if (std::any_of(elite_.begin(), place, same)) return;
  elite_.insert(place, {devices, score});
  if (elite_.size() > elite_size_) elite_.pop_back();
}

void Scorer::restore(std::vector<Elite> elite, std::uint64_t simulated, std::uint64_t asked) {
  elite_ = std::move(elite);
  simulated_ = simulated;
  asked_ = asked;
}

}  // namespace berth
