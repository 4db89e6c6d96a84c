// How the placements of a problem are run for real: by which executor, with how many requests at a
// time, and which piece first.
#pragma once

#include "berth/runtime/runtime.h"

namespace berth {

// Pieces at the same time for latency, one after another (HETERO) where the problem is sequential,
// a pipeline for throughput.
ExecutorKind executor_kind(const Problem& problem);

// For throughput: enough for every device to have a request at hand while the next arrives.
constexpr int requests_in_flight(std::size_t devices) { return 2 * static_cast<int>(devices); }

// The median of single requests, after one that warms up and does not count.
Duration typical_latency(Executor& executor, int requests);

// The placement with the order in which the simulator starts its pieces (sim/piece_execution.h), so
// that what runs is what was predicted. As it is where it has an order of its own, or where the
// problem does not run in pieces.
Placement with_predicted_order(const Problem& problem, Placement placement);

}  // namespace berth
