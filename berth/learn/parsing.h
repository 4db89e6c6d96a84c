// Edge scores to groups: the graph parsing of HSDAG.
//
// Every node keeps one incident edge, in or out: the dominant one, of highest score (ties: the edge
// of smaller number). Groups are what the kept edges connect. Read literally: seed a group with the
// best remaining dominant edge, absorb every node whose dominant neighbour is inside until nothing
// is added, emit the group, go on. With one score per undirected edge both give the same groups,
// and the connected components cost only O(E) nearly.
//
// Duan et al., A Structure-Aware Framework ..., NeurIPS 2024, section 4.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace berth {

struct GroupEdge {
  std::uint32_t a, b;
};

inline constexpr std::uint32_t kStays = 0xffffffff;  // a node that keeps no edge

struct Groups {
  std::vector<std::uint32_t> group_of;  // by node; numbered by first node
  std::uint32_t count = 0;

  friend bool operator==(const Groups&, const Groups&) = default;
};

// The dominant edge of each node; kStays for an isolated one. Loops are ignored.
std::vector<std::uint32_t> dominant_edges(std::size_t nodes, std::span<const GroupEdge> edges,
                                          std::span<const float> scores);

// What the kept edges (by node, or kStays) connect.
Groups connect(std::span<const GroupEdge> edges, std::span<const std::uint32_t> kept);

}  // namespace berth
