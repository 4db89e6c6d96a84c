// A learned method as a placer: its options, its name and who makes its learner.
#pragma once

#include <utility>

#include "berth/base/options.h"
#include "berth/learn/place_learned.h"
#include "berth/place/placer.h"

namespace berth {

template <class Method>  // with Options, kName and learner(options) -> MakeLearner
class LearnedPlacer : public Placer {
 public:
  using Options = typename Method::Options;
  static constexpr bool kLearned = true;
  explicit LearnedPlacer(Options options) : options_(std::move(options)) {}
  Outcome place(const Problem& problem, Budget& budget, Rng& rng) const override {
    Options kept = options_;
    kept.keep_training_only();
    return place_learned(write_options(Method::kName, kept), options_, Method::learner(options_),
                         problem, budget, rng);
  }

 private:
  Options options_;
};

}  // namespace berth
