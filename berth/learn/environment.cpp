#include "berth/learn/environment.h"

#include <algorithm>
#include <atomic>

#include "berth/base/parallel.h"

namespace berth {
namespace {

// Beyond so many bytes what is known is forgotten: it costs time, and changes no score.
constexpr std::size_t kMostKnown = 256 << 20;

std::string key_of(const SetDevices& devices) {
  std::string key;
  key.reserve(2 * devices.size());
  for (const std::uint32_t device : devices) {
    key.push_back(static_cast<char>(device & 0xff));
    key.push_back(static_cast<char>(device >> 8));
  }
  return key;
}

}  // namespace

Score with_apart_sets(const Problem& problem, const Placement& placement, Score score) {
  if (!problem.apart().empty() && broken_rule(problem, placement)) score.overflow += 1;
  return score;
}

Environment::Environment(const Problem& problem, const PolicyGraph& graph, int threads)
    : problem_(problem), set_of_(graph.set_of), workers_(thread_count(threads)) {}

Score Environment::simulate_with(Worker& worker, const SetDevices& devices) const {
  for (const NodeId node : problem_.graph().nodes())
    worker.placement.device_of[node] = static_cast<DeviceId>(devices[set_of_[node]]);
  return with_apart_sets(problem_, worker.placement, worker.evaluator(worker.placement));
}

std::vector<Score> Environment::score(std::span<const SetDevices> placements, Budget& budget) {
  budget.count(placements.size());
  if (!placements.empty() && known_.size() * placements.front().size() > kMostKnown / 2)
    known_.clear();
  std::vector<Score*> scores;
  std::vector<std::size_t> fresh;
  for (const SetDevices& devices : placements) {
    const auto [found, is_new] = known_.try_emplace(key_of(devices));
    if (is_new) fresh.push_back(scores.size());
    scores.push_back(&found->second);
  }
  simulated_ += fresh.size();

  std::atomic<std::size_t> workers{0};
  const auto make = [&]() -> ItemWorker {
    std::unique_ptr<Worker>& worker = workers_[workers++];
    if (!worker) worker = std::make_unique<Worker>(problem_);
    return [&, worker = worker.get()](std::size_t i) {
      *scores[fresh[i]] = simulate_with(*worker, placements[fresh[i]]);
    };
  };
  for_each_item(fresh.size(), workers_.size(), make, placements_per_thread(problem_));

  std::vector<Score> result;
  for (const Score* score : scores) result.push_back(*score);
  return result;
}

}  // namespace berth
