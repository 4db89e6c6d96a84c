// A profiled model as the problem of running it in pieces on this machine.
//
// Calibration (calibrate.h) knows what operators and pieces really take; execution in pieces
// (sim/piece_execution.h) is the rule that adds it up. Here the former becomes the parameters of
// the latter, so that placers, bounds and reports all speak of what the machine does:
//   p(v, d)       scale(d) * profiled(v, d)
//   links         the hand-over, whatever the size: memory is shared
// overheads, conversions at borders and contention as they are.
// O(V D).
#pragma once

#include <vector>

#include "berth/problem.h"
#include "berth/runtime/calibrate.h"
#include "berth/sim/pieces.h"

namespace berth {

// Sum of the problem's times over the members of each piece, on the piece's device.
std::vector<Duration> profiled_times(const Problem& problem, const Pieces& pieces);

Problem piece_problem(const Problem& profiled, const Calibration& calibration,
                      Objective objective = Objective::kLatency);

}  // namespace berth
