#include "berth/graph/biconnected.h"

#include <algorithm>
#include <cassert>

namespace berth {
namespace {

constexpr std::uint32_t kNone = ~std::uint32_t{0};

struct Use {  // an edge, seen from one of its ends
  std::uint32_t other, edge;
};

struct Visit {
  std::uint32_t vertex, entered_by;  // the edge it was entered by; kNone for a root
  std::size_t next = 0;              // the use to look at next
};

}  // namespace

std::vector<std::uint32_t> biconnected_components(
    std::size_t vertices, std::span<const std::pair<std::uint32_t, std::uint32_t>> edges) {
  std::vector<std::vector<Use>> uses(vertices);
  for (std::uint32_t e = 0; e < edges.size(); ++e) {
    const auto [a, b] = edges[e];
    assert(a != b &&
           "an edge from a vertex to itself lies on no cycle and between no two vertices");
    uses[a].push_back({b, e});
    uses[b].push_back({a, e});
  }
  std::vector<std::uint32_t> entry(vertices, kNone), low(vertices, kNone);
  std::vector<std::uint32_t> component(edges.size(), kNone);
  std::vector<Visit> path;          // from the root to where the search is
  std::vector<std::uint32_t> open;  // edges met whose component is not closed
  std::uint32_t time = 0, components = 0;
  const auto enter = [&](std::uint32_t vertex, std::uint32_t edge) {
    entry[vertex] = low[vertex] = time++;
    path.push_back({vertex, edge});
  };
  const auto leave = [&](Visit done) {
    path.pop_back();
    if (path.empty()) return;
    const std::uint32_t parent = path.back().vertex;
    low[parent] = std::min(low[parent], low[done.vertex]);
    if (low[done.vertex] < entry[parent]) return;
    std::uint32_t edge = kNone;
    do {
      edge = open.back();
      open.pop_back();
      component[edge] = components;
    } while (edge != done.entered_by);
    ++components;
  };
  for (std::uint32_t root = 0; root < vertices; ++root) {
    if (entry[root] == kNone) enter(root, kNone);
    while (!path.empty()) {
      Visit& at = path.back();
      const std::uint32_t vertex = at.vertex;
      if (at.next == uses[vertex].size()) {
        leave(at);
        continue;
      }
      const auto [other, edge] = uses[vertex][at.next++];
      // Not back along the edge it came by, and each other edge only upwards or to something new.
      if (edge == at.entered_by || (entry[other] != kNone && entry[other] > entry[vertex]))
        continue;
      open.push_back(edge);
      if (entry[other] == kNone)
        enter(other, edge);
      else
        low[vertex] = std::min(low[vertex], entry[other]);
    }
  }
  return component;
}

}  // namespace berth
