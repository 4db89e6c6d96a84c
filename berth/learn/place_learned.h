// What every learned method does around its training.
//
// The best heuristics come first. They give the reference of the reward and the first of the elite,
// and nothing worse than them is returned; where one of them is proven optimal there is nothing to
// learn. Then the loop runs (train.h). With `reward=measured` real runs decide in the end between
// single devices, seeds and the best placements of the training.
#pragma once

#include <string>

#include "berth/learn/learned_options.h"
#include "berth/learn/learner.h"
#include "berth/place/placer.h"

namespace berth {

// `spec` names the training in its checkpoints: the method and its options, without the files.
Outcome place_learned(const std::string& spec, const LearnedOptions& options,
                      const MakeLearner& make, const Problem& problem, Budget& budget,
                      const Rng& rng);

}  // namespace berth
