// Co-location sets joined to at most so many groups, for policies that learn one decision each.
//
// While there are more than `most` groups, the edge with most bytes is contracted whose ends
//   together take at most 2 / most of the total time (least time of each set on any device),
//   may use the same devices, and are in no apart set,
//   have no other path between them: contracting one of several paths closes a cycle.
// Bytes count in both directions and add up as edges become parallel. Where no edge is left,
// neighbours in a topological order join, shortest first, under the same rules; then also those
// that share only some devices. By the limit of time that always suffices, so more groups than
// asked for are left only where constraints forbid to join neighbours.
//
// Whether there is another path is searched between the places of both ends in a topological order
// that is kept up to date, and for a bounded number of steps: an edge whose search is longer stays.
// Where co-location has tied sets to a cycle, no path follows the edges that go back in the order.
// O((V + E) log^2 V), and the bounded searches.
//
// The order under change: Pearce and Kelly, A Dynamic Topological Sort Algorithm for Directed
// Acyclic Graphs, JEA 2006.
#pragma once

#include <cstddef>
#include <vector>

#include "berth/learn/parsing.h"
#include "berth/learn/policy_graph.h"
#include "berth/problem.h"

namespace berth {

// At least one group is asked for.
Groups heavy_edge_groups(const Problem& problem, const PolicyGraph& graph, std::size_t most);

}  // namespace berth
