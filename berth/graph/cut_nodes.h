// Cut nodes: nodes that every path passes.
//
// A cut node is an ancestor or a descendant of every other node, and no edge leads past it. When it
// runs, everything before it is over and nothing after it has begun: a schedule falls apart there.
//
// A node at position i of a topological order is one iff it is the only sink of the first i nodes,
// the only source of the nodes from i on, and no edge spans i: three counts by position. O(V + E).
#pragma once

#include "berth/graph/graph.h"

namespace berth {

// In topological order.
std::vector<NodeId> cut_nodes(const Graph& graph);

}  // namespace berth
