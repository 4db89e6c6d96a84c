// What a placement costs when it runs as pieces: the simulator's prediction of a real run.
//
// The simulator counts nodes, the machine runs pieces. So the pieces become the nodes of a small
// problem, each with the calibrated time of its device (calibrate.h) and allowed nowhere else, and
// the ordinary simulation of that problem is the prediction: concurrent execution for latency, the
// busiest device for throughput. Tensors inside a piece vanish; between pieces on two devices passes
// the hand-over, once per tensor and device. O(V + E).
//
// `calibrated` puts the same knowledge into the original problem, for placers, where pieces are not
// known yet: times are scaled and stretched, and a crossing costs what a border costs on both sides,
// times a factor that makes the simulation of whole placements agree with what was measured. Without
// it placements with many crossings would look too good, because a transfer that the simulator
// overlaps with work is work on a CPU.
#pragma once

#include <span>

#include "berth/placement.h"
#include "berth/problem.h"
#include "berth/runtime/calibrate.h"
#include "berth/sim/pieces.h"

namespace berth {

// Bytes that enter or leave each piece in another layout than it computes in. Convolutions compute in
// blocks of channels, so that a piece with one of them converts its images at the border, that is
// tensors with at least four dimensions from and to other pieces, once per tensor.
std::vector<Bytes> border_bytes(const Graph& graph, const Pieces& pieces);

// Sum of the problem's times over the members of each piece, on the piece's device.
std::vector<Duration> profiled_times(const Problem& problem, const Pieces& pieces);

Problem piece_problem(const Problem& profiled, const Pieces& pieces, const Calibration& calibration);

// The time of one request, or between two in a pipeline.
Duration predict(const Problem& profiled, const Placement& placement,
                 const Calibration& calibration, Objective objective);

Problem calibrated(const Problem& profiled, const Calibration& calibration);

}  // namespace berth
