// A training on disk: weights, state of the optimiser, elite and curve.
//
// Written aside and renamed, so that a file is never half there. A checkpoint carries the identity
// of the problem and of the options, and refuses to load for others.
#pragma once

#include <string>
#include <vector>

#include "berth/learn/torch/training.h"

namespace berth {

void write_checkpoint(const std::string& file, Learner& learner, const Scorer& scorer,
                      const std::vector<CurvePoint>& curve, const std::string& identity);

// Sets learner and scorer back to where they were; returns the curve so far.
std::vector<CurvePoint> read_checkpoint(const std::string& file, Learner& learner, Scorer& scorer,
                                        const std::string& identity);

}  // namespace berth
