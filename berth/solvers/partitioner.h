// The contract with a balanced partitioner (METIS, Scotch): an undirected graph with weights in,
// the part of each vertex out.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "berth/base/error.h"

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
inline std::string check_partition(Partitioner partition) {
  const PartitionGraph path{.begin = {0, 1, 3, 5, 6},
                            .neighbour = {1, 0, 2, 1, 3, 2},
                            .edge_weight = {1, 1, 1, 1, 1, 1},
                            .vertex_weight = {1, 1, 1, 1}};
  const std::optional<PartOfVertex> part = partition(path, std::array{0.5, 0.5}, 0.01, 1);
  if (part != PartOfVertex{0, 0, 1, 1} && part != PartOfVertex{1, 1, 0, 0})
    throw Error("it does not cut a path of four in the middle");
  return "cuts a path in the middle";
}

}  // namespace berth
