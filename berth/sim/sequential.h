// Sequential execution of one sample: subgraphs run one after another, as in OpenVINO HETERO.
//
// Nothing overlaps, so time adds up:
//   value = sum of p(v, P_v)  +  sum of transfers, each paid once per (tensor, receiving device)
//           + overhead * (number of subgraphs - 1)
// Subgraphs are those of pieces.h. In the schedule they run in topological order; the tensors that
// a subgraph misses are fetched one after another before it starts.
// Without overhead an evaluation is O(V + E) with a few nanoseconds per edge.
#pragma once

#include "berth/problem.h"
#include "berth/sim/schedule.h"

namespace berth {

Schedule sequential_schedule(const Problem& problem, std::span<const DeviceId> device_of);

}  // namespace berth
