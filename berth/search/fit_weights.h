// Whether the weights fit at all, and a placement in which they do.
//
// When limits are tight, list methods that fill devices greedily fail although a packing exists.
// Then the packing itself is solved, as an integer program with the work as its cost:
//   minimise  sum over units and devices of p(u,d) x(u,d)
//   subject to  sum over d of x(u,d) = 1;   apart sets;
//               sum over u of private(u) x(u,d)  +  sum over s of bytes(s) y(s,d) <= memory(d);
//               y(s,d) >= x(u,d) for the units u that hold or use the shared weight s
// Weights are what any schedule holds, so "infeasible" here proves that nothing fits.
#pragma once

#include "berth/placement.h"
#include "berth/search/budget.h"

namespace berth {

struct WeightFit {
  std::optional<UnitDevices> units{};  // a packing, if one was found
  bool impossible = false;             // proven: there is none
  std::string why{};                   // in one sentence, when impossible
};

WeightFit fit_weights(const Problem& problem, const Budget& budget);

}  // namespace berth
