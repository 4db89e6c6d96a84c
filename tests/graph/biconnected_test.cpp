// Biconnected components, on graphs drawn by hand and against the definition.

#include "berth/graph/biconnected.h"

#include <set>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include "berth/base/random.h"
#include "berth/graph/union_find.h"
#include "tests/support/effort.h"

using namespace berth;

namespace {

using Edges = std::vector<std::pair<std::uint32_t, std::uint32_t>>;

// Two edges share a component unless the loss of one vertex leaves nothing between them: of what
// remains of their ends, no two are connected.
bool separable(std::size_t vertices, const Edges& edges, std::size_t e, std::size_t f) {
  for (std::uint32_t lost = 0; lost < vertices; ++lost) {
    UnionFind left(vertices);
    for (const auto& [a, b] : edges)
      if (a != lost && b != lost) left.join(a, b);
    bool connected = false;
    for (const std::uint32_t x : {edges[e].first, edges[e].second})
      for (const std::uint32_t y : {edges[f].first, edges[f].second})
        if (x != lost && y != lost && left.find(x) == left.find(y)) connected = true;
    if (!connected) return true;
  }
  return false;
}

}  // namespace

TEST_CASE("a graph without edges has no components") {
  CHECK(biconnected_components(0, {}).empty());
  CHECK(biconnected_components(3, {}).empty());
}

TEST_CASE("every edge of a chain is a component of its own") {
  const Edges chain{{0, 1}, {1, 2}, {2, 3}};
  const std::vector<std::uint32_t> component = biconnected_components(4, chain);
  CHECK(std::set<std::uint32_t>(component.begin(), component.end()).size() == 3);
}

TEST_CASE("branches that meet again are one component, the bridge between two of them another") {
  //    1         5
  //  /   \     /   \        .
  // 0     3 - 4     7
  //  \   /     \   /
  //    2         6
  const Edges edges{{0, 1}, {0, 2}, {1, 3}, {2, 3}, {3, 4}, {4, 5}, {4, 6}, {5, 7}, {6, 7}};
  const std::vector<std::uint32_t> c = biconnected_components(8, edges);
  CHECK((c[0] == c[1] && c[1] == c[2] && c[2] == c[3]));
  CHECK((c[5] == c[6] && c[6] == c[7] && c[7] == c[8]));
  CHECK((c[0] != c[4] && c[4] != c[5] && c[0] != c[5]));
}

TEST_CASE("two cycles that share one vertex are two components; an edge across makes them one") {
  Edges edges{{0, 1}, {1, 2}, {2, 0}, {2, 3}, {3, 4}, {4, 2}};
  std::vector<std::uint32_t> c = biconnected_components(5, edges);
  CHECK((c[0] == c[1] && c[1] == c[2] && c[3] == c[4] && c[4] == c[5]));
  CHECK(c[0] != c[3]);
  edges.emplace_back(1, 4);
  c = biconnected_components(5, edges);
  for (const std::uint32_t component : c) CHECK(component == c[0]);
}

TEST_CASE("parallel edges are a cycle") {
  const Edges edges{{0, 1}, {0, 1}, {1, 2}};
  const std::vector<std::uint32_t> c = biconnected_components(3, edges);
  CHECK(c[0] == c[1]);
  CHECK(c[0] != c[2]);
}

TEST_CASE("a chain of a million vertices needs no deep stack") {
  constexpr std::uint32_t kVertices = 1000000;
  Edges chain;
  for (std::uint32_t v = 1; v < kVertices; ++v) chain.emplace_back(v - 1, v);
  const std::vector<std::uint32_t> c = biconnected_components(kVertices, chain);
  CHECK(std::set<std::uint32_t>(c.begin(), c.end()).size() == kVertices - 1);
}

TEST_CASE("random graphs: two edges share a component unless one vertex separates them") {
  Rng rng(3);
  for (int round = 0; round < effort(300); ++round) {
    CAPTURE(round);
    const std::uint32_t vertices = 2 + static_cast<std::uint32_t>(rng.below(7));
    std::set<std::pair<std::uint32_t, std::uint32_t>> drawn;
    for (std::uint64_t i = rng.below(13); i > 0; --i) {
      const auto a = static_cast<std::uint32_t>(rng.below(vertices));
      const auto b = static_cast<std::uint32_t>(rng.below(vertices));
      if (a != b && !drawn.contains({b, a})) drawn.insert({a, b});
    }
    const Edges edges(drawn.begin(), drawn.end());
    const std::vector<std::uint32_t> component = biconnected_components(vertices, edges);
    REQUIRE(component.size() == edges.size());
    for (std::size_t e = 0; e < edges.size(); ++e)
      for (std::size_t f = e + 1; f < edges.size(); ++f)
        REQUIRE((component[e] == component[f]) == !separable(vertices, edges, e, f));
  }
}
