// The surrogate of a problem that runs in pieces: one with a price for each crossing.
//
// Pieces are known only when the placement is (sim/piece_execution.h), but most methods build one
// node by node and need a price for each crossing. Here a crossing of tensor t from a to b costs
//   transfer(t, a, b) + overhead(b) + bytes of an image * (conversion on a + conversion on b)
// as if every crossing began a piece and every image were converted. Latency becomes concurrent
// execution, throughput a pipeline in which crossings take time of the devices. What a method finds
// there is scored again by the real rule (place/seeds.h); its bounds say nothing. O(T D^2).
#pragma once

#include "berth/problem.h"

namespace berth {

// The problem itself unless it runs in pieces.
Problem surrogate_problem(const Problem& problem);

}  // namespace berth
