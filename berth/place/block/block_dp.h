// `block-dp`: latency of concurrent execution by blocks, with a bound and often a proof.
//
// Real networks fall into blocks at their cut nodes (graph/cut_nodes.h), and the latency is a
// shortest path over the devices of these, with the least time through each block between two
// devices as the length (chain.h). Each such time is known between two sides (block_search.h).
//
// Only what matters is searched: of the shortest paths by lower and by upper sides, the pairs (a, b)
// that are not exact are searched again, eight times as wide each time, with what cannot be part of
// a better schedule cut off; when all of the lower path are exact, it is the optimum.
//
// Where cut nodes are few, the same with a chain of other separators gives a bound (separators.h):
// the chain whose bound is best before any search.
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
