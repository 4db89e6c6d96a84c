#include "berth/learn/post/measured_stage.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <utility>

#include "berth/base/median_interval.h"
#include "berth/place/measured/paired.h"

namespace berth {
namespace {

constexpr int kMostPairs = 5;        // of one placement
constexpr double kStageShare = 0.7;  // of the seconds that are left; the rest is for the choice
constexpr double kDeviationOfMedian = 1.4826;  // of a normal distribution, by its median distance

// Times of placements of the groups, relative to that of one placement.
class PairedTimes {
 public:
  PairedTimes(Task& task, const GroupedSets& groups, Budget& budget)
      : task_(task),
        groups_(groups),
        budget_(budget),
        reference_(spread(task.graph, task.elite.best().devices)) {
    if (const auto left = budget.seconds_left()) until_ = budget.elapsed() + kStageShare * *left;
    std::vector<double> distances;
    for (int i = 0; i < kFewestPairs && !is_over(); ++i)
      if (const auto pair = compare_paired(reference_, reference_, 1, budget_))
        distances.push_back(std::abs(pair->log_ratio.median));
    if (!distances.empty()) noise_ = kDeviationOfMedian * median_interval(distances).median;
  }

  bool is_over() const { return budget_.out_of_time() || (until_ && budget_.elapsed() >= *until_); }

  // What does not fit, and what its devices refuse, counts as longer than any that ran.
  PostSample sample(const std::vector<std::uint32_t>& devices) {
    const SetDevices sets = groups_.expanded(devices);
    const Score score = task_.environment.score({&sets, 1}, budget_).front();
    std::vector<double>& ratios = ratios_[devices];
    const bool fits = score.feasible() && score.value != kForever;
    if (fits && ratios.size() < kMostPairs && !is_over())
      if (const auto pair = compare_paired(spread(task_.graph, sets), reference_, 1, budget_))
        ratios.push_back(pair->log_ratio.median);
    if (ratios.empty())
      return {.devices = devices,
              .value = (1 + (fits ? 1 : score.overflow)) * longest_,
              .feasible = false};
    const double value = std::exp(median_interval(ratios).median);
    longest_ = std::max(longest_, value);
    return {.devices = devices,
            .value = value,
            .deviation = noise_ / std::sqrt(static_cast<double>(ratios.size()))};
  }

  std::vector<SetDevices> best_first() const {
    std::vector<std::pair<double, SetDevices>> ran;
    for (const auto& [devices, ratios] : ratios_)
      if (!ratios.empty())
        ran.emplace_back(median_interval(ratios).median, groups_.expanded(devices));
    std::sort(ran.begin(), ran.end());
    std::vector<SetDevices> result;
    for (auto& [ratio, devices] : ran) result.push_back(std::move(devices));
    return result;
  }

 private:
  Task& task_;
  const GroupedSets& groups_;
  Budget& budget_;
  Placement reference_;
  std::optional<double> until_;
  double noise_ = 0;
  double longest_ = 1;
  std::map<std::vector<std::uint32_t>, std::vector<double>> ratios_;  // logarithms
};

}  // namespace

std::vector<SetDevices> measured_stage(Task& task, const GroupedSets& groups,
                                       const JointLoop& simulated, const MeasuredStage& stage,
                                       Budget& budget, const Rng& rng) {
  if (task.elite.empty()) return {};
  PairedTimes times(task, groups, budget);
  JointLoop loop(simulated.table(), stage.loop);
  for (const PostSample& known : simulated.best()) {
    if (times.is_over()) break;
    loop.offer(times.sample(known.devices));
  }
  Rng stream = rng.split("measured");
  for (int done = static_cast<int>(simulated.best().size());
       done < stage.samples && !times.is_over(); done += stage.batch) {
    std::vector<PostSample> batch;
    for (int i = 0; i < std::min(stage.batch, stage.samples - done) && !times.is_over(); ++i)
      batch.push_back(times.sample(loop.table().draw(stream)));
    loop.learn(batch);
  }
  return times.best_first();
}

}  // namespace berth
