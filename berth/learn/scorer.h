// What a learner plays against: scores placements of co-location sets, remembers them.
//
// Many actions lead to one placement, and a policy that converges repeats itself: a placement is
// simulated once, and asked for again it costs a look-up. The best feasible placement is kept, and
// an elite of distinct ones for replay. A placement that breaks
// an apart set counts as one that overflows.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "berth/learn/policy_graph.h"
#include "berth/placement.h"
#include "berth/search/budget.h"
#include "berth/sim/evaluate.h"

namespace berth {

using SetDevices = std::vector<std::uint32_t>;  // the device of each set

class Scorer {
 public:
  struct Elite {
    SetDevices devices;
    Score score;
  };

  Scorer(const Problem& problem, const PolicyGraph& graph, std::size_t elite_size);

  // One score each, each counted in the budget: a repeated placement is a wasted sample, not a free
  // one.
  std::vector<Score> score(std::span<const SetDevices> batch, Budget& budget);

  const std::vector<Elite>& elite() const { return elite_; }  // best first, distinct, feasible
  std::size_t set_count() const { return graph_.size(); }
  std::uint64_t simulated() const { return simulated_; }
  std::uint64_t asked() const { return asked_; }

  // For checkpoints: what must be known to go on as if never interrupted. The cache is not part of
  // it: it changes how long things take, not what they give.
  void restore(std::vector<Elite> elite, std::uint64_t simulated, std::uint64_t asked);

 private:
  static std::string key_of(const SetDevices& devices);
  void admit(const SetDevices& devices, const Score& score);

  Score simulate_one(const SetDevices& devices);

  Problem problem_;
  const PolicyGraph& graph_;
  std::size_t elite_size_;
  Evaluator evaluator_;
  std::unordered_map<std::string, Score> known_;
  std::vector<Elite> elite_;
  std::uint64_t simulated_ = 0, asked_ = 0;
};

}  // namespace berth
