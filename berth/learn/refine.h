// Annealing beside a learner: chains that start from the best placements and try what the policy
// proposes.
//
// A sampled placement draws hundreds of decisions at once, and near the optimum nearly every sample
// changes something for the worse: the gradient still points the right way, but no sample arrives.
// A chain (search/annealing_chain.h) changes a little at a time, a hundred times as fast. Chains
// live as long as the training, a piece of them in each update. Its progress p from 0 to 1 is cut
// into rounds; within round r, at its part x of the way,
//   T = hot_r (cold / hot_r)^x,   hot_r = hot / 4^r
// A round starts from what is best by then: the elite and the policy's latest samples, in turn. A
// share of the changes is proposed by the policy:
//   group    a group that it has drawn gets another device
//   region   a part of the graph, neighbours or a stretch of the topological order, becomes what it
//            is in a sample or in an elite placement: of a sample that is worse as a whole, the
//            parts that are better are kept
// the others are those of annealing. What is found enters the elite, is replayed from there, and so
// shapes the groups and samples of the next update. What moves is a set, never a part of it.
// O(evaluation) a change.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "berth/base/random.h"
#include "berth/learn/elite.h"
#include "berth/learn/policy_graph.h"
#include "berth/search/annealing_chain.h"
#include "berth/search/budget.h"

namespace berth {

struct Refinement {
  const PolicyGraph& graph;
  std::span<const SetGroup> groups;  // that the policy has drawn; may be empty
  std::span<const Scored> samples;   // of the policy
  const Elite& elite;                // of the task, read only
  std::uint64_t steps = 0;           // evaluations of one chain
  std::function<bool()> goes_on{};   // asked now and then; empty: the steps decide
};

class Refiner {
 public:
  // Several chains, so that one valley is not all: a constant, for one seed gives one result.
  static constexpr std::size_t kChains = 2;

  Refiner(const Problem& problem, const PolicyGraph& graph);

  // Sets the temperature. Where a round begins the chains start anew; none without an elite.
  void advance(const Refinement& refinement, double progress, Rng rng);
  bool has_started() const { return !state_.chains.empty(); }
  // A piece of one chain, counted in the budget: what it found that may be of the elite. Different
  // chains on different threads.
  std::vector<Scored> run(std::size_t chain, const Refinement& refinement, Budget& budget, Rng rng);

  // What the next piece depends on, beside what it is given.
  struct State {
    std::vector<SetDevices> chains;  // where they are; empty before the first round
    int round = -1;
  };
  const State& state() const { return state_; }
  void resume(State state) { state_ = std::move(state); }

 private:
  UnitDevices to_units(const SetDevices& devices) const;
  SetDevices to_sets(const UnitDevices& devices) const;
  void propose(const SearchState& state, const Refinement& refinement, Rng& rng,
               std::vector<SearchState::Change>& changes) const;

  Problem problem_;                             // its units are the sets
  std::vector<UnitId> unit_of_;                 // by set
  std::shared_ptr<const RegionMoves> regions_;  // execution in pieces
  State state_;
  double temperature_ = 0;
};

}  // namespace berth
