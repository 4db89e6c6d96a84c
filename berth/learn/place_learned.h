// What every learned method does around its training.
//
// The best heuristics come first. They give the reference of the reward and the first of the elite,
// and nothing worse than them is returned; where one of them is proven optimal there is nothing to
// learn. Then the loop runs (train.h). With `reward=measured` the learner may go on with real runs,
// and these decide in the end between single devices, seeds and the best of the training.
#pragma once

#include <string>

#include "berth/learn/learned_options.h"
#include "berth/learn/learner.h"
#include "berth/place/context.h"

namespace berth {

// `spec` names the training in its checkpoints: the method and its options, without the files.
void place_learned(const Context& context, const std::string& spec, const LearnedOptions& options,
                   const MakeLearner& make);

template <class Options>  // derived from LearnedOptions
void place_learned(const Context& context, const char* method, const Options& options,
                   const MakeLearner& make) {
  Options kept = options;
  kept.keep_training_only();
  place_learned(context, write_options(method, kept), static_cast<const LearnedOptions&>(options),
                make);
}

}  // namespace berth
