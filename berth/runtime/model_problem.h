// A model that a runtime opened, as a Problem: with times that are estimated, or measured in pieces.
//
// model_problem: "Will it fit, and how fast?" before anything is measured. Shapes and sizes are the
// model's own, speeds are the cluster's (cost/roofline.h). Latency of concurrent execution; training
// adds the backward pass (graph/backward.h). Weights that several operators share tie them to one
// device, or are nodes of their own: Model::untied_graph.
//
// piece_problem: a profiled model as the problem of running it in pieces on this machine.
// Calibration (calibrate.h) knows what operators and pieces really take; execution in pieces
// (sim/piece_execution.h) is the rule that adds it up. Here the former becomes the parameters of
// the latter, so that placers, bounds and reports all speak of what the machine does:
//   p(v, d)       scale(d) * profiled(v, d)
//   links         the hand-over, whatever the size: memory is shared
// overheads, conversions at borders and contention as they are.
// O(V D).
#pragma once

#include "berth/graph/backward.h"
#include "berth/runtime/calibrate.h"
#include "berth/runtime/runtime.h"
#include "berth/sim/pieces.h"

namespace berth {

Problem model_problem(const Model& model, const Cluster& cluster, bool training,
                      Optimizer optimizer = Optimizer::kSgd,
                      SharedWeights weights = SharedWeights::kTied);

Problem piece_problem(const Problem& profiled, const Calibration& calibration,
                      Objective objective = Objective::kLatency);

// Sum of the problem's times over the members of each piece, on the piece's device.
std::vector<Duration> profiled_times(const Problem& problem, const Pieces& pieces);

}  // namespace berth
