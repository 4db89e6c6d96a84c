// `auto`: the default method. All heuristics that fit the problem and the budget, then annealing
// from the best of them, until the budget ends or the bound is met.
//
// A quarter of a time limit goes to the heuristics at most; the rest to annealing. The answer is
// the best placement any of them found, with the best lower bound any of them proved.
#pragma once

#include "berth/place/options.h"
#include "berth/place/placer.h"

namespace berth {

class Auto : public Placer {
 public:
  using Options = NoOptions;
  explicit Auto(Options) {}
  Outcome place(const Problem& problem, Budget& budget, Rng& rng) const override;
};

}  // namespace berth
