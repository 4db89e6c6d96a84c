// One chain of simulated annealing.
//
// From a placement, random changes (annealing_moves.h); one that raises the energy E
// (search_state.h) by a fraction x of the starting energy is kept with probability exp(-x / T). How
// T falls, and when the chain ends, is its owner's: all chains of a search at once (annealing.h),
// or a piece of a long chain at a time, beside a learner (learn/refine.h). O(evaluation) a change.
//
// Kirkpatrick, Gelatt, Vecchi, Optimization by Simulated Annealing, Science 1983.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "berth/base/random.h"
#include "berth/search/annealing_moves.h"

namespace berth {

struct AnnealingChain {
  const Problem& problem;
  const RegionMoves* regions = nullptr;  // execution in pieces
  const Proposals* proposals = nullptr;
  std::uint64_t allowance = 0;  // evaluations, the first placement's among them
  double floor = 0;             // microseconds: no placement is better, a chain there is done
  // Asked now and then with the part of the allowance that is spent; nothing: the chain ends.
  std::function<std::optional<double>(double spent)> temperature;
  // Better than all of the chain so far.
  std::function<void(const UnitDevices&, const Score&)> improved{};

  struct End {
    UnitDevices best, last;
    Score score;  // of the best
    std::uint64_t evaluations = 0;
    bool is_at(double floor) const { return score.feasible() && score.value.count() <= floor; }
  };
  End run(const UnitDevices& start, Rng rng) const;
};

}  // namespace berth
