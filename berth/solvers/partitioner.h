// The contract with a balanced partitioner (METIS, Scotch): an undirected graph with weights in,
// the part of each vertex out.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace berth {

struct PartitionGraph {
  std::vector<std::int32_t> begin;  // compressed adjacency, each edge in both directions
  std::vector<std::int32_t> neighbour, edge_weight, vertex_weight;

  std::size_t vertex_count() const { return vertex_weight.size(); }
};

using PartOfVertex = std::vector<std::int32_t>;
// Parts whose weights are near the shares, within the imbalance; empty when it gives up.
using Partitioner = std::optional<PartOfVertex> (*)(const PartitionGraph& graph,
                                                    std::span<const double> shares,
                                                    double imbalance, std::uint64_t seed);

// The self-check of a partitioner: throws Error unless it cuts a path of four in the middle.
std::string check_partition(Partitioner partition);

}  // namespace berth
