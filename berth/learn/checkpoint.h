// A training on disk: the learner's state, the elite of every task, the curve.
//
// A checkpoint carries the identity of the training, its problem and its options, and refuses to
// load for others. What the environment knows is not part of it: it changes how long things take,
// not what they give.
#pragma once

#include <span>
#include <string>

#include "berth/learn/learner.h"

namespace berth {

void write_checkpoint(const std::string& file, const std::string& identity, const Learner& learner,
                      std::span<const Task> tasks, const Curve& curve);

// Sets learner and tasks back to where they were; returns the curve so far.
Curve read_checkpoint(const std::string& file, const std::string& identity, Learner& learner,
                      std::span<Task> tasks);

}  // namespace berth
