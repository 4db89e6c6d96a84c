#include "berth/learn/parsing.h"

#include <algorithm>
#include <numeric>
#include <set>

#include <doctest/doctest.h>

#include "berth/base/random.h"

namespace berth {
namespace {

Groups parse(std::size_t nodes, const std::vector<GroupEdge>& edges,
             const std::vector<float>& scores) {
  return connect(edges, dominant_edges(nodes, edges, scores));
}

// The loop of the paper: seed with the best remaining dominant edge, absorb, emit.
std::set<std::set<std::uint32_t>> parse_literally(std::size_t nodes,
                                                  const std::vector<GroupEdge>& edges,
                                                  const std::vector<float>& scores) {
  const std::vector<std::uint32_t> dominant = dominant_edges(nodes, edges, scores);
  const auto neighbour = [&](std::uint32_t node) {
    const GroupEdge& edge = edges[dominant[node]];
    return edge.a == node ? edge.b : edge.a;
  };
  std::vector<std::uint32_t> remaining;
  std::set<std::set<std::uint32_t>> groups;
  for (std::uint32_t node = 0; node < nodes; ++node) {
    if (dominant[node] == kStays)
      groups.insert({node});
    else
      remaining.push_back(node);
  }
  while (!remaining.empty()) {
    const std::uint32_t seed = *std::min_element(
        remaining.begin(), remaining.end(), [&](std::uint32_t x, std::uint32_t y) {
          return std::pair(-scores[dominant[x]], dominant[x]) <
                 std::pair(-scores[dominant[y]], dominant[y]);
        });
    std::set<std::uint32_t> group{seed, neighbour(seed)};
    for (bool grew = true; grew;) {
      grew = false;
      for (const std::uint32_t node : remaining)
        if (group.count(neighbour(node)) > 0 && group.insert(node).second) grew = true;
    }
    std::erase_if(remaining, [&](std::uint32_t node) { return group.count(node) > 0; });
    groups.insert(group);
  }
  return groups;
}

TEST_CASE("the examples of the specification: a path of four") {
  const std::vector<GroupEdge> path{{0, 1}, {1, 2}, {2, 3}};
  CHECK(parse(4, path, {0.9F, 0.2F, 0.8F}).group_of == std::vector<std::uint32_t>{0, 0, 1, 1});
  CHECK(parse(4, path, {0.9F, 0.85F, 0.8F}).count == 1);
}

TEST_CASE("ties go to the edge of smaller number, loops are ignored, isolated nodes stay alone") {
  const std::vector<GroupEdge> edges{{0, 0}, {0, 1}, {1, 2}};
  const Groups groups = parse(4, edges, {1.0F, 0.5F, 0.5F});
  CHECK(dominant_edges(4, edges, std::vector<float>{1.0F, 0.5F, 0.5F}) ==
        std::vector<std::uint32_t>{1, 1, 2, kStays});
  CHECK(groups.group_of == std::vector<std::uint32_t>{0, 0, 0, 1});
}

TEST_CASE("components of the dominant edges equal the literal loop, and halve connected graphs") {
  for (std::uint64_t seed = 1; seed <= 2000; ++seed) {
    Rng rng(seed);
    const std::uint32_t nodes = 2 + static_cast<std::uint32_t>(rng.below(14));
    std::vector<GroupEdge> edges;
    std::vector<float> scores;
    std::set<std::uint32_t> touched;
    for (std::uint32_t a = 0; a < nodes; ++a)
      for (std::uint32_t b = a + 1; b < nodes; ++b)
        if (rng.below(4) == 0) {
          edges.push_back({a, b});
          scores.push_back(static_cast<float>(rng.below(6)));  // many ties
          touched.insert({a, b});
        }
    const Groups groups = parse(nodes, edges, scores);
    std::vector<std::set<std::uint32_t>> sets(groups.count);
    for (std::uint32_t node = 0; node < nodes; ++node) sets[groups.group_of[node]].insert(node);
    CHECK(std::set<std::set<std::uint32_t>>(sets.begin(), sets.end()) ==
          parse_literally(nodes, edges, scores));
    if (touched.size() == nodes) CHECK(groups.count <= nodes / 2);
  }
}

}  // namespace
}  // namespace berth
