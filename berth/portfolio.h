// `auto`: the default method. All heuristics that fit the problem and the budget, then annealing
// from the best of them, then the exact method of the model, until the budget ends or the bound is
// met.
//
// The exact methods are those for calls: throughput-ip for throughput (contiguous splits are proven
// by ideal-dp, which is among the heuristics' seeds), latency-ip for latency. For throughput in
// pieces devices may also divide the samples (`replicate`); annealing looks at placements without
// that. Without a time limit they run where the problem is small enough to be proven outright. Of a
// time limit the heuristics have a quarter at most, annealing a quarter of the rest where an exact
// method follows, which has what is left and anneals too.
//
// For concurrent latency blocks (block-dp) come before annealing: often they prove in moments, and
// else they bound. They have two fifths of what the heuristics leave of a time limit, and without
// one they stay narrow. The answer is the best placement any of them found, with the best lower
// bound any of them proved.
#pragma once

#include "berth/base/options.h"
#include "berth/place/context.h"

namespace berth {

void portfolio(const Context& context, const NoOptions&);

}  // namespace berth
