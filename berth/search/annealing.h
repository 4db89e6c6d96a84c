// Simulated annealing over units, on any execution model.
//
// A chain (annealing_chain.h) starts from a good placement and tries random changes; its
// temperature T falls geometrically from `hot` to `cold` over the chain's share of the budget.
//
// The budget is shared by `rounds` of `chains` independent chains on all cores. In the first round
// half of them start from the best seed, the others from the next ones; in later rounds all start
// from the best placement so far, each round a quarter as hot as the one before. The result depends
// on the stream of randomness, not on the number of threads, unless the budget is a time limit. It
// is never worse than the best seed. A chain that meets the lower bound is done, and no round
// follows.
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

// Evaluations that suit the size of the problem: about two seconds of one core on a mid-sized
// graph; small graphs are searched thoroughly.
std::uint64_t usual_annealing_steps(const Problem& problem);

// Chains from the seeds: the best placement that they come to, within the limits or nearest to
// them. `seeds` must not be empty and its first element is the best. A chain that reaches the
// floor, which no placement goes below, is done.
Placement anneal_from(const Problem& problem, const std::vector<Seed>& seeds, Duration floor,
                      const AnnealingOptions& options, Budget& budget, const Rng& rng);

}  // namespace berth
