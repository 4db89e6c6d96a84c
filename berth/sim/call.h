// Latency of one sample in the call model of dnn-partitioning (inference).
//
// CPUs are unlimited: a CPU node starts when its predecessors are ready. An accelerator runs a
// piece (pieces.h, kCalls) as one call: it starts when ALL outside inputs of the piece are ready
// and its previous piece has finished, then reads, computes and writes in sequence; every node of
// the piece is ready only at the end:
//   start_j  = max( ready(u) for u outside S_j feeding S_j,  end of the device's previous piece )
//   finish_j = start_j + load(S_j),      ready(v in S_j) = finish_j
//   load(S)  = sum p + sum of c(u) over outside u with a successor in S     (reads)
//                    + sum of c(u) over inside u with a successor outside S (writes)
//   CPU:       ready(v) = p(v) + max ready(predecessors)
// The value is the largest ready time. Data between two pieces of one accelerator is written and
// read. More pieces on an accelerator than the model allows break a rule but still have a value.
//
// Tarnawski et al., Efficient Algorithms for Device Placement of DNN Graph Operators, NeurIPS 2020.
#pragma once

#include "berth/sim/pieces.h"
#include "berth/sim/schedule.h"

namespace berth {

// Runs and moves inside each call: reads first, then nodes in topological order, then writes.
Schedule call_schedule(const Problem& problem, const Pieces& calls);
// When each piece starts, as numbered in `calls`.
std::vector<Duration> call_starts(const Problem& problem, const Pieces& calls);
Duration call_latency(const Problem& problem, const Pieces& calls);

}  // namespace berth
