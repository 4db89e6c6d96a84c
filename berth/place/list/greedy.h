// Greedy list placement, by two rules.
//
// In general: nodes by falling upward rank, each after all runs of the device where it finishes
// first. HEFT without insertion (list_schedule.h).
//
// For latency in the call model (sim/call.h): the greedy of Tarnawski et al. An accelerator makes
// one call of all it holds, so the pieces must be convex, and it pays to fill one accelerator after
// the other along a depth-first topological order.
//   blocks   strongly connected parts of the unit graph: they cannot be separated
//   order    a stack of blocks whose predecessors are done. It starts with the sources, by first
//            node; a block's uses are looked at in the order of its nodes and of the graph, and
//            a block goes on the stack when its last predecessor is done; the last one on is next
//   fill     open an accelerator, fill it while the next block fits, close it, open the next; a
//            block that no unopened accelerator takes goes to the CPU
// The published program walks hash tables; this order gives its values on all its latency inputs.
// Where constraints leave a block neither a fresh accelerator nor a CPU, any device that takes it
// will do, and the simulator judges the result. O(V + E).
//
// Tarnawski et al., Efficient Algorithms for Device Placement of DNN Graph Operators, NeurIPS 2020.
#pragma once

#include "berth/base/options.h"
#include "berth/place/context.h"

namespace berth {

void greedy(const Context& context, const NoOptions&);

}  // namespace berth
