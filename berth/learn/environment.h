// What a learner plays against: the cost of placements of co-location sets.
//
// Many actions lead to one placement, and a policy that converges repeats itself: a placement is
// simulated once, and asked for again it costs a look-up. What is new in a batch is simulated on
// all cores. Scores do not depend on the number of threads. A placement that breaks an apart set
// counts as one that overflows.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "berth/learn/policy_graph.h"
#include "berth/placement.h"
#include "berth/problem.h"
#include "berth/search/budget.h"
#include "berth/sim/evaluate.h"

namespace berth {

// The score of a placement with 1 added to its overflow where it breaks an apart set.
Score with_apart_sets(const Problem& problem, const Placement& placement, Score score);

// A thread takes as long to start as 2000 nodes to simulate: how many placements are worth one.
inline std::size_t placements_per_thread(const Problem& problem) {
  return std::max<std::size_t>(1, 2000 / problem.node_count());
}

class Environment {
 public:
  // `threads`: 0 for one per core.
  Environment(const Problem& problem, const PolicyGraph& graph, int threads = 0);

  // One score each, each counted in the budget: a repeated placement is a wasted sample, not a free
  // one. From one thread at a time.
  std::vector<Score> score(std::span<const SetDevices> placements, Budget& budget);

  std::uint64_t simulated() const { return simulated_; }  // the others were known

 private:
  struct Worker {  // of one thread, kept between batches
    explicit Worker(const Problem& problem) : evaluator(problem) {
      placement.device_of = IdVector<NodeId, DeviceId>(problem.node_count());
    }
    Evaluator evaluator;
    Placement placement;
  };
  Score simulate_with(Worker& worker, const SetDevices& devices) const;

  Problem problem_;
  IdVector<NodeId, std::uint32_t> set_of_;
  std::vector<std::unique_ptr<Worker>> workers_;
  std::unordered_map<std::string, Score> known_;
  std::uint64_t simulated_ = 0;
};

}  // namespace berth
