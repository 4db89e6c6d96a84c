// Computation graphs of github.com/xinyuyao/Doppler.
//
//   N                                   vertices, inputs of the model counted
//   i, i, ...                           one vertex per input of the model: who takes it
//   s, s, ...                           sources of the edges
//   d, d, ...                           destinations, as many
//   compute_cost,comm_cost[,op_type]    one line per vertex 0, 1, ...
//
// Inputs are counted in N but are not vertices: they have no cost lines and no edges. The graph
// has one vertex per cost line, N minus the length of line 2 of them. Costs are work units; 1e10
// units are a second. Devices are equal: gpu0 .. gpu3, or .. gpu7 when the file is named 8gpu*;
// a cluster in the options lends its devices, all equally fast. The model is concurrent latency.
//
// One difference to the authors' simulator: they charge comm_cost for every edge that crosses;
// here a vertex makes one tensor, sent once to each device that uses it, for comm_cost each time.
#pragma once

#include "berth/io/read_problem.h"

namespace berth {

Problem parse_doppler(std::string_view text, const std::string& file, const std::string& name,
                      const ReadOptions& options);

}  // namespace berth
