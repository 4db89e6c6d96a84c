// `block-dp`: latency of concurrent execution by blocks, with a bound and often a proof.
//
// Real networks fall into blocks at their cut nodes c_1, c_2, ... (graph/cut_nodes.h). The latency
// is a shortest path over the devices of the cut nodes:
//   F(c_1, b)     = p(c_1, b)
//   F(c_{i+1}, b) = min over a of  F(c_i, a) + B_i(a, b) + p(c_{i+1}, b)
// where B_i(a, b) is the least time through block i (block.h). Each B_i is known between two sides
// (block_search.h): with the lower ones F is a bound of every placement, with the upper ones a
// schedule, devices and order.
//
// Only what matters is searched: of the shortest paths by lower and by upper sides, the pairs (a, b)
// that are not exact are searched again, eight times as wide each time, with what cannot be part of
// a better schedule cut off; when all of the lower path are exact, it is the optimum. Equal blocks
// are searched once.
//
// Memory limits, channels of links, units and apart sets across blocks are left out of B: the bound
// holds all the same, and the schedule is judged by the simulator. It is optimal if it keeps them.
//
// O(blocks D^2 * searches).
#pragma once

#include "berth/place/context.h"

namespace berth {

struct BlockDpOptions {
  int width = 30000;  // states of a level, at most
  int threads = 0;
  void visit(auto& v) {
    v("width", width, "states kept at a level of a block's search, at most");
    v("threads", threads, "that search blocks; 0: one per core");
  }
};

void block_dp(const Context& context, const BlockDpOptions& options);

}  // namespace berth
