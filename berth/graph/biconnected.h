// Biconnected components of an undirected graph: the edges that lie on a common cycle.
//
// Two edges belong to one component when some simple cycle holds both; an edge on no cycle, a
// bridge, is a component of its own. Components meet in single vertices only, so that a graph is a
// tree of them. Found by one depth-first search: low(v) is the earliest vertex that v's subtree
// reaches by one further edge, and a child w with low(w) >= entry(v) closes a component at v.
// Iterative, so that long chains do not need a deep stack. O(V + E).
//
// Hopcroft and Tarjan, Algorithm 447: Efficient Algorithms for Graph Manipulation, CACM 1973.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace berth {

// The component of each edge, numbered from 0. Parallel edges share one; an edge from a vertex to
// itself is not allowed.
std::vector<std::uint32_t> biconnected_components(
    std::size_t vertices, std::span<const std::pair<std::uint32_t, std::uint32_t>> edges);

}  // namespace berth
