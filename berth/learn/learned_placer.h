// A method whose work is done in the LibTorch module: its options here, its network there.
//
// The library knows a learned method by its Options alone, so that `berth methods` and a spec's
// mistakes need no LibTorch. place() hands the canonical spec to the module (learn/), which makes
// the policy, trains it and returns the best placement that it saw.
#pragma once

#include "berth/base/options.h"
#include "berth/place/placer.h"

namespace berth {

// Throws Error when this build or machine has no LibTorch.
Outcome place_by_learning(const std::string& spec, const Problem& problem, Budget& budget,
                          Rng& rng);

template <class Method>  // with Options and kName
class LearnedPlacer : public Placer {
 public:
  using Options = typename Method::Options;
  static constexpr bool kLearned = true;
  explicit LearnedPlacer(Options options) : options_(std::move(options)) {}
  Outcome place(const Problem& problem, Budget& budget, Rng& rng) const override {
    return place_by_learning(write_options(Method::kName, options_), problem, budget, rng);
  }

 private:
  Options options_;
};

}  // namespace berth
