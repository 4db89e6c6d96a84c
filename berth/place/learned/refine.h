// Moves of whole groups, from the best placements that a policy has found.
//
// A sampled placement draws hundreds of decisions at once, and near the optimum nearly every sample
// changes something for the worse: the gradient still points the right way, but no sample arrives.
// Refinement takes a placement of the elite and gives one group another device, or two groups at
// once, keeps what is not worse, and goes on from there. The groups are those that the policy has
// drawn for its own rollouts, so what it has learned about which nodes belong together decides which
// moves are tried; what is found enters the elite, and is imitated from there. Each move is one
// evaluation. O(moves * (n + evaluation)).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "berth/base/random.h"
#include "berth/place/budget.h"
#include "berth/place/learned/scorer.h"

namespace berth {

using SetGroup = std::vector<std::uint32_t>;  // the sets of one group

// Does nothing while the elite is empty or no group can move.
void refine_elite(Scorer& scorer, const PolicyGraph& graph, std::span<const SetGroup> groups,
                  int moves, Budget& budget, Rng& rng);

}  // namespace berth
