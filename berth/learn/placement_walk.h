// A placement that a policy changes step by step, with its score after each step.
//
// For methods whose next decision depends on what the last one cost. A step gives one set another
// device; it is one evaluation, which the caller counts. Throughput is kept under such moves where
// it can be (search/search_state.h: loads in O(degree), up to rounding). Latency is simulated anew,
// and the same simulation tells when each set starts (sim/timed_evaluator.h). A step that changes
// nothing costs nothing. What breaks an apart set counts as in environment.h.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "berth/learn/policy_graph.h"
#include "berth/search/search_state.h"
#include "berth/sim/timed_evaluator.h"

namespace berth {

class PlacementWalk {
 public:
  // The graph outlives the walk.
  PlacementWalk(const Problem& problem, const PolicyGraph& graph);

  void start(const SetDevices& devices);
  void move(std::uint32_t set, std::uint32_t device);

  const SetDevices& devices() const { return devices_; }
  const Score& score() const { return score_; }
  // By set: microseconds until its first node starts. All zero where the objective is no time of
  // one sample.
  std::span<const double> starts() const { return starts_; }

 private:
  void simulate();
  void take_score(const Score& score);

  Problem problem_;
  const PolicyGraph& graph_;
  TimedEvaluator evaluator_;
  std::optional<SearchState> state_;  // of throughput
  Placement placement_;
  SetDevices devices_;
  Score score_;
  std::vector<double> starts_;
};

}  // namespace berth
