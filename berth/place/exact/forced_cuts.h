// What a piece must pay for its work: inequalities that tighten the max-load program.
//
// The linear relaxation of load_program.h spreads every unit evenly over all devices and cuts no
// net, so its bound is the work alone. A real piece S of a class that keeps its load within the
// limit U cannot do that. For any slope s,
//   cuts(S) >= s work(S) - h(s),     h(s) = max over pieces S within U of  s work(S) - cuts(S)
// and h(s) is a small program: one binary per unit, one cut per net, no symmetry. The inequality
// holds for every device of the class, so it becomes a row of the whole program, whose relaxation
// then pays for cuts as a real split does. When the other devices cannot do all the work, S must
// take at least
//   a = W - U (devices but one, each at its best speed)
// which excludes small pieces and makes h smaller.
// The slope of interest is the one with the largest s W/k - h(s), W/k being the work that a device
// does on average. That is a concave function of s; every program adds a piece to those that bound
// it from above (Kelley's cutting planes), and a dozen programs find its maximum.
//
// The bound of the relaxation is a Lagrangian one, with the same price for all units of work; own
// prices for every unit (column generation) would be tighter and far dearer.
#pragma once

#include <vector>

#include "berth/place/budget.h"
#include "berth/place/exact/load_model.h"

namespace berth {

// cuts >= slope * work - most, in microseconds, for every piece within the limit.
struct ForcedCut {
  double slope = 0;
  double most = 0;
};

// Inequalities for the pieces of the first class, the best of which bounds its cuts at the average
// work; empty when cuts do not add to the load (overlap), halves are apart, or the budget ends.
// `limit`: microseconds.
std::vector<ForcedCut> forced_cuts(const LoadModel& model, double limit, Budget& budget);

}  // namespace berth
