// Positions in an order, and strongly connected components.
#pragma once

#include "berth/base/ids.h"

namespace berth {

// position[v] in a sequence of all nodes.
IdVector<NodeId, std::uint32_t> positions(const std::vector<NodeId>& order);

// Strongly connected components of a directed graph given as adjacency lists (Tarjan, iterative).
// Components are numbered in reverse topological order of the quotient.
std::vector<std::uint32_t> strongly_connected_components(
    const std::vector<std::vector<std::uint32_t>>& successors);

}  // namespace berth
