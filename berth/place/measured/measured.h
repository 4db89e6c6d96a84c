// The best of several guesses, by real runs.
//
// The simulator's prediction of a real machine errs by some per cent, as much as splits gain, and
// it errs most about what a cut costs. So guesses are made for dear and for cheap cuts: the answer
// of `method` as it is, and the best placements that annealing finds with at most
//   2, 3, 4, 6, 9, 13, 19, 28, ...
// subgraphs; for throughput also devices that divide the samples (`replicate`). Real runs decide
// between them and the single devices, at most `measurements` (measured_choice.h): a split is
// returned only if it was faster beyond chance. Of a time limit half is for measuring.
//
// Needs a model on devices of this machine (Budget::can_measure).
#pragma once

#include <string>

#include "berth/place/context.h"

namespace berth {

struct MeasuredOptions {
  std::string method = "auto";
  int measurements = 80;
  int evaluations = 4000;
  int candidates = 12;

  void visit(auto& v) {
    v("method", method, "spec of the method that makes the first guess");
    v("measurements", measurements, "placements run for real, at most");
    v("evaluations", evaluations, "for each guess with few subgraphs");
    v("candidates", candidates, "guesses that are measured, at most");
  }
};

void measured(const Context& context, const MeasuredOptions& options);

}  // namespace berth
