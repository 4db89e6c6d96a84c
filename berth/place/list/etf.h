// ETF: earliest task first.
//
// A node is ready when all its predecessors are placed. Repeat: of all pairs (ready node v, device
// d) take the one of least start
//   est(v,d) = max( free(d), ready(v,d) )
// ties by larger upward rank, then NodeId, then the device of least finish; no insertion. Units are
// contracted first, memory is the static rule of unit_assignment.h, as in heft.h.
//
// Each device keeps two heaps: nodes that could start now (ready(v,d) <= free(d), best rank on top)
// and nodes that must still wait for their inputs (earliest on top). ready(v,d) never changes once
// v is ready, so every pair moves at most once from the second to the first: O((V log V + E) D).
//
// Hwang, Chow, Anger and Lee, Scheduling Precedence Graphs in Systems with Interprocessor
// Communication Times, SIAM Journal on Computing 1989.
#pragma once

#include "berth/base/options.h"
#include "berth/place/context.h"

namespace berth {

void etf(const Context& context, const NoOptions&);

}  // namespace berth
