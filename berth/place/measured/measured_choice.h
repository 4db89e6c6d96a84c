// The placement that really is the fastest of some, with few measurements and little chance of
// error.
//
// A simulator ranks placements that differ by a few per cent only roughly, and a machine measures
// them with as much noise. Three steps, at most `measurements` in all:
//   1. the safe candidates (single devices, say) are measured, the best becomes the incumbent;
//   2. the others, best guess first, as many as fit, are halved down to two (halving.h);
//   3. each of the two challenges the incumbent in pairs (paired.h), and replaces it only if it is
//      faster beyond chance.
// Two fifths of the measurements are for step 3. So what is returned is a safe candidate unless
// something was shown to be faster than one.
#pragma once

#include <cstddef>
#include <optional>
#include <span>

#include "berth/base/units.h"
#include "berth/placement.h"
#include "berth/search/budget.h"

namespace berth {

struct MeasuredChoice {
  std::size_t winner = 0;  // into safe candidates followed by the others
  Duration measured{0};    // its median
  int challenges = 0, won = 0;
};

// Empty when nothing ran. `most_candidates` limits step 2.
std::optional<MeasuredChoice> choose_by_measuring(std::span<const Placement> safe,
                                                  std::span<const Placement> others,
                                                  std::size_t most_candidates, int measurements,
                                                  Budget& budget);

}  // namespace berth
