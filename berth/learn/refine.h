// Small changes to the best placements that a policy has found.
//
// A sampled placement draws hundreds of decisions at once, and near the optimum nearly every sample
// changes something for the worse: the gradient still points the right way, but no sample arrives.
// Refinement starts from a placement of the elite and changes a little at a time:
//   group    one or two groups that the policy has drawn get another device
//   region   a part of the graph, neighbours or a stretch of the topological order, becomes what it
//            is in a sample of the policy or in another elite placement: of a sample that is worse
//            as a whole, the parts that are better are kept
//   set      one or two sets get another device
// each a third of the time. A change that raises the value by a fraction x is kept with probability
// exp(-x / temperature). What is found enters the elite, is imitated from there, and so shapes the
// groups and samples of the next refinement. Each change is one evaluation.
// O(moves * (n + evaluation)).
#pragma once

#include <span>

#include "berth/base/random.h"
#include "berth/learn/task.h"
#include "berth/search/budget.h"

namespace berth {

struct Refinement {
  std::span<const SetGroup> groups;  // that the policy has drawn; empty: sets move instead
  std::span<const Scored> samples;   // of the policy
  int moves = 0;
  double temperature = 0;  // 0: only what is not worse is kept
};

// The task's elite and what is found from it. The task's own stays as it is, so that a learner may
// read it meanwhile. Nothing is found while the elite or the samples are empty.
Elite refined_elite(Task& task, const Refinement& refinement, Budget& budget, Rng rng);

}  // namespace berth
