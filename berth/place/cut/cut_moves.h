// Moves of very many units at once, each the answer of one minimum cut (additive_cost.h).
//
// Swap of a and b: every unit on a or b chooses anew between the two; all others stay. The cut is
// exact, whatever the link costs; with two devices in all it solves the whole problem. Source side
// = a. For a net with producer u and consumers w, all free:
//   u -> x  capacity c(a,b),  x -> w infinite      u on a and any w on b: paid once
//   y -> u  capacity c(b,a),  w -> y infinite      u on b and any w on a: paid once
// A producer or consumer that stays somewhere turns its share into a cost of one side.
//
// Expansion of a: every unit keeps its device or switches to a. A net is paid per receiving
// device, as it really is. For u on x with several consumers on y the move counts
// min(c(x,y), c(a,y)) for staying as they are, for a single consumer min(c(x,y), c(x,a) + c(a,y));
// only where links differ that much is it an approximation, and the true cost never rises: what is
// counted too low after the move was counted too low before it.
//
// Boykov, Veksler and Zabih, Fast Approximate Energy Minimization via Graph Cuts, PAMI 2001.
#pragma once

#include "berth/place/cut/additive_cost.h"
#include "berth/search/budget.h"

namespace berth {

struct SwapResult {
  UnitDevices device_of;
  double bound = 0;  // microseconds: no choice of the units on a and b makes their part cost less
};

// With two devices in all the bound holds for every placement.
SwapResult best_swap(const AdditiveCost& cost, const UnitDevices& from, DeviceId a, DeviceId b);

UnitDevices best_expansion(const AdditiveCost& cost, const UnitDevices& from, DeviceId a);

// Expansions of every device and swaps of every pair in turn, until none lowers the cost, or the
// budget is spent.
UnitDevices expand_and_swap(const AdditiveCost& cost, UnitDevices start, const Budget& budget);

}  // namespace berth
