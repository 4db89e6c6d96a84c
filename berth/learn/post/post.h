// `post`: a table of device probabilities for groups, learned by cross-entropy and proximal steps.
//
// No network and no features: each group of co-location sets has a row of probabilities, placements
// are drawn row by row, and two closed-form updates share them (joint_loop.h). It learns one
// problem; nothing transfers. Options and presets: post_options.h; how it learns: learner.h.
//
// O(K groups) beside the evaluation of K samples. Gao, Chen, Li: Post: Device Placement with
// Cross-Entropy Minimization and Proximal Policy Optimization, NeurIPS 2018.
#pragma once

#include "berth/learn/post/post_options.h"
#include "berth/place/context.h"

namespace berth {

// Throws Error: shares outside of 0 to 1, no group.
void post(const Context& context, const PostOptions& options);

}  // namespace berth
