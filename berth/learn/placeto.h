// `placeto`: a placement improved node by node, by a graph network that learns from each move.
//
// The state is the graph and a placement of it. An episode visits the groups of co-location sets
// once, in a topological order; step t may give group t another device, and the network that
// decides sees the whole placement as it then is. What a step is worth is known at once:
//   r_t = T(s_t) - T(s_t+1),   T relative to the task's reference, overflow counted on top
// and policy gradients on discounted sums of these train the network (network.h and learner.h in
// learn/torch/placeto/). Each step is one evaluation.
//
// A baseline: as published, without seeds and without refinement of the best. Groups
// (heavy_edge_groups.h) bound the steps of an episode. Every episode starts from what was the best
// before the training: a device alone, or a seed.
//
// Addanki et al., Placeto: Learning Generalizable Device Placement Algorithms for Distributed
// Machine Learning, NeurIPS 2019.
#pragma once

#include "berth/base/options.h"
#include "berth/learn/learned_options.h"
#include "berth/place/context.h"

namespace berth {

struct PlacetoOptions : LearnedOptions {
  int groups = 128;
  int rounds = 8;         // of messages along the edges, and as many against them
  double rate = 0.03;     // of Adam at the start; a tenth of it at the end, linearly
  double gamma = 0.9;     // discount per step
  double entropy = 0.01;  // weight at the start; a tenth of it at the end

  PlacetoOptions() {
    updates = 100;
    rollouts = 8;  // episodes
    seeds = false;
    refine = 0;
  }

  void check() const;

  void visit(auto& v) {
    v("groups", groups, "sets are joined along heavy edges, to at most so many");
    v("rounds", rounds, "of messages along the edges, and against them");
    v("rate", rate, "learning rate of Adam at the start, a tenth of it at the end");
    v("gamma", gamma, "discount per step");
    v("entropy", entropy, "weight at the start, a tenth of it at the end");
    v("updates", updates, "of the policy");
    v("rollouts", rollouts, "episodes per update, side by side; an evaluation for each step");
    v("seeds", seeds, "start from the best heuristics and never return worse");
    v("elite", elite, "best placements kept");
    v("refine", refine, "small changes of the best placements tried, per update");
    visit_choice_and_files(v);
  }
};

// Throws Error when this build or machine has no LibTorch.
void placeto(const Context& context, const PlacetoOptions& options);

}  // namespace berth
