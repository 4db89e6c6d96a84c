// Local search: single-unit moves, then swaps, to a local optimum.
//
// From a starting placement, apply the best of all moves of one unit to another device as long as
// one improves (steepest descent); at a local optimum try swaps of two units on different devices,
// and go back to moves after one improves; in pieces whole regions too (region_moves.h). The descent follows the search energy (search_state.h),
// the best placement by score is kept, and feasible stays feasible. A round of moves costs
// units * devices evaluations, O(degree) each for load-based objectives. When a round would cost
// more than `first_above` evaluations, the first improving move is taken instead of the best.
#pragma once

#include <string>

#include "berth/place/placer.h"

namespace berth {

struct LocalSearchOptions {
  std::string start = "greedy";  // the spec of the placer to start from
  int first_above = 20000;       // evaluations per round above which the first gain is taken
  int swaps = 20000;             // at most so many swaps are tried at each local optimum

  void visit(auto& v) {
    v("start", start, "spec of the method to start from");
    v("first_above", first_above, "evaluations per round above which the first gain is taken");
    v("swaps", swaps, "swaps tried at a local optimum of single moves");
  }
};

class LocalSearch : public Placer {
 public:
  using Options = LocalSearchOptions;
  explicit LocalSearch(Options options) : options_(std::move(options)) {}
  Outcome place(const Problem& problem, Budget& budget, Rng& rng) const override;

 private:
  Options options_;
};

// The descent itself, for use after other methods.
IdVector<UnitId, DeviceId> improve_locally(const Problem& problem,
                                           const IdVector<UnitId, DeviceId>& start,
                                           const LocalSearchOptions& options, Budget& budget,
                                           Rng& rng);

}  // namespace berth
