// Descent: single-unit moves, then swaps, to a local optimum.
//
// Apply the best of all moves of one unit to another device as long as one improves (steepest
// descent); at a local optimum try swaps of two units on different devices, and go back to moves
// after one improves; in pieces whole regions too (region_moves.h). The descent follows the search
// energy (search_state.h), the best placement by score is kept, and feasible stays feasible. A
// round of moves costs units * devices evaluations, O(degree) each for load-based objectives. When
// a round would cost more than `first_above` evaluations, the first improving move is taken instead
// of the best.
#pragma once

#include "berth/base/random.h"
#include "berth/placement.h"
#include "berth/search/budget.h"

namespace berth {

struct DescentOptions {
  int first_above = 20000;  // evaluations per round above which the first gain is taken
  int swaps = 20000;        // at most so many swaps are tried at each local optimum
};

UnitDevices improve_locally(const Problem& problem, const UnitDevices& start,
                            const DescentOptions& options, Budget& budget, Rng& rng);

}  // namespace berth
