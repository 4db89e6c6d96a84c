// The loop that every learned method shares: updates until the budget is spent.
//
// An update takes one task, has the learner propose placements, scores them in one batch (or has it
// play episodes, which it scores itself), and lets the learner learn while chains of annealing
// refine the elite (refine.h) on the other cores, and on this one when it is done: in every update,
// or of many short ones in 400 of them. With a time limit such a piece lasts at least its share of
// what is left, which the chains fill; else their evaluations are counted. The loop keeps the
// curve, reports a line of it and writes checkpoints. Tasks take turns: update k is of task k mod
// their number. All randomness of update k comes from a stream named k, so a training that goes on
// from a checkpoint (checkpoint.h) gives what an uninterrupted one gives.
#pragma once

#include <span>
#include <string>

#include "berth/learn/learner.h"

namespace berth {

struct Plan {
  int updates = 200;
  int rollouts = 32;         // placements per update, or episodes
  int refine = 2000;         // small changes of the elite per piece; 0: none, with a limit too
  std::string checkpoint{};  // file to write every ten updates and at the end
  std::string resume{};      // file to go on from
  std::string identity{};    // of the training, in its checkpoints
};

Metrics update(Learner& learner, Task& task, const Plan& plan, Budget& budget, const Rng& rng,
               double progress);

// The curve; the elites of the tasks have the placements.
Curve train(Learner& learner, std::span<Task> tasks, const Plan& plan, Budget& budget,
            const Rng& rng);

}  // namespace berth
