// Simulated annealing over units, on any execution model.
//
// A chain starts from a good placement and tries random changes; a change that raises the energy E
// (search_state.h) by a fraction x of the starting energy is kept with probability exp(-x / T), and
// T falls geometrically from `hot` to `cold` over the chain's share of the budget. Changes: one
// unit to another device, mostly a neighbour's; a unit together with neighbours that sit on its
// device (chains and blocks move as one, because single moves would have to pay for transfers on
// both sides first); a swap of two units; in pieces mostly whole regions (region_moves.h). Where
// the value is a maximum over devices, units of the busiest device are tried more often.
//
// The budget is shared by `rounds` of `chains` independent chains on all cores. In the first round
// half of them start from the best seed, the others from the next ones; in later rounds all start
// from the best placement so far, each round a quarter as hot as the one before. The result depends
// on the stream of randomness, not on the number of threads, unless the budget is a time limit. It
// is never worse than the best seed. A chain that meets the lower bound is done, and no round
// follows.
//
// Kirkpatrick, Gelatt, Vecchi, Optimization by Simulated Annealing, Science 1983.
#pragma once

#include <vector>

#include "berth/base/random.h"
#include "berth/search/budget.h"
#include "berth/search/seed.h"

namespace berth {

struct AnnealingOptions {
  int chains = 4;      // independent runs in each round
  int rounds = 2;      // each from the best placement of those before
  double steps = 0;    // evaluations in all; 0: by the size of the problem
  double hot = 0.02;   // first temperature, as a fraction of the starting value
  double cold = 2e-5;  // last temperature
  int threads = 0;     // 0: all cores
};

// Chains from the seeds: the best placement that they come to, within the limits or nearest to
// them. `seeds` must not be empty and its first element is the best. A chain that reaches the
// floor, which no placement goes below, is done.
Placement anneal_from(const Problem& problem, const std::vector<Seed>& seeds, Duration floor,
                      const AnnealingOptions& options, Budget& budget, const Rng& rng);

}  // namespace berth
