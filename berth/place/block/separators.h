// Separators: nodes on one path at which a bound may take a graph apart.
//
// Cut nodes (graph/cut_nodes.h) take it apart exactly. Where there are few of them, because a mask
// or the output of an encoder is used all along the graph, any nodes c_1 -> c_2 -> ... that reach
// each other will do for a bound: what lies between two neighbours, descendants of one and
// ancestors of the other, still runs between them, and leaving out all other nodes and edges only
// makes things faster. A separator costs the nodes that are neither before nor after it, so there is
// a choice: the longest chain among the nodes that leave out at most some share of all.
// O(V^2 / 64 + V E / 64) for the reachability of all pairs.
#pragma once

#include "berth/graph/graph.h"

namespace berth {

struct Separators {
  std::vector<NodeId> nodes;  // each reaches the next
  bool exact = true;          // cut nodes: nothing is left out
};

// The cut nodes first, then chains for rising shares, each different from the one before.
std::vector<Separators> separator_chains(const Graph& graph);

}  // namespace berth
