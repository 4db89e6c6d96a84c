#include "berth/learn/parsing.h"

#include "berth/graph/union_find.h"

namespace berth {

std::vector<std::uint32_t> dominant_edges(std::size_t nodes, std::span<const GroupEdge> edges,
                                          std::span<const float> scores) {
  std::vector<std::uint32_t> result(nodes, kStays);
  for (std::uint32_t e = 0; e < edges.size(); ++e) {
    if (edges[e].a == edges[e].b) continue;
    for (const std::uint32_t node : {edges[e].a, edges[e].b})
      if (result[node] == kStays || scores[e] > scores[result[node]]) result[node] = e;
  }
  return result;
}

Groups connect(std::span<const GroupEdge> edges, std::span<const std::uint32_t> kept) {
  const std::uint32_t nodes = static_cast<std::uint32_t>(kept.size());
  UnionFind sets(nodes);
  for (const std::uint32_t edge : kept)
    if (edge != kStays) sets.join(edges[edge].a, edges[edge].b);
  Groups groups;
  groups.group_of.resize(nodes);
  for (std::uint32_t node = 0; node < nodes; ++node) {
    const std::uint32_t root = sets.find(node);  // the smallest of its set
    groups.group_of[node] = root == node ? groups.count++ : groups.group_of[root];
  }
  return groups;
}

}  // namespace berth
