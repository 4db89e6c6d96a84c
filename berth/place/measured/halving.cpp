#include "berth/place/measured/halving.h"

#include <algorithm>
#include <cassert>

#include <fmt/format.h>

#include "berth/base/error.h"
#include "berth/base/median_interval.h"

namespace berth {
namespace {

struct Runner {
  std::size_t index;
  std::vector<double> micros{};
  bool refused = false;

  double median() const { return median_interval(micros).median; }
};

std::size_t next_size(std::size_t size, std::size_t keep) {
  return std::max((size + 1) / 2, std::min(size, keep));
}

// True when every runner has been measured once more.
bool measure_all(std::vector<Runner>& runners, bool backwards,
                 std::span<const Placement> candidates, Budget& budget) {
  for (std::size_t i = 0; i < runners.size(); ++i) {
    Runner& runner = runners[backwards ? runners.size() - 1 - i : i];
    if (budget.out_of_time()) return false;
    budget.report({.phase = fmt::format("real run {} of {} placements", budget.measurements() + 1,
                                        runners.size()),
                   .best = {},
                   .bound = {}});
    try {
      runner.micros.push_back(budget.measure(candidates[runner.index]).count());
    } catch (const Error&) {
      runner.refused = true;
    }
  }
  return true;
}

}  // namespace

std::size_t halving_cost(std::size_t candidates, std::size_t keep) {
  std::size_t cost = candidates;
  for (std::size_t size = next_size(candidates, keep); size > keep; size = next_size(size, keep))
    cost += size;
  return cost;
}

std::vector<Survivor> halve(std::span<const Placement> candidates, std::size_t keep,
                            Budget& budget) {
  assert(keep > 0);
  std::vector<Runner> runners;
  for (std::size_t i = 0; i < candidates.size(); ++i) runners.push_back({i});
  bool backwards = false;
  while (!runners.empty()) {
    const bool complete = measure_all(runners, backwards, candidates, budget);
    std::erase_if(runners, [](const Runner& r) { return r.refused || r.micros.empty(); });
    std::stable_sort(runners.begin(), runners.end(),
                     [](const Runner& a, const Runner& b) { return a.median() < b.median(); });
    const std::size_t size = next_size(runners.size(), keep);
    if (!complete || size <= keep) {
      runners.resize(std::min(runners.size(), keep), Runner{0});
      break;
    }
    runners.resize(size, Runner{0});
    backwards = !backwards;
  }
  std::vector<Survivor> survivors;
  for (const Runner& runner : runners)
    survivors.push_back(
        {runner.index, Duration{runner.median()}, static_cast<int>(runner.micros.size())});
  return survivors;
}

}  // namespace berth
