#include "berth/graph/cut_nodes.h"

#include <algorithm>

#include <doctest/doctest.h>

#include "tests/support/effort.h"
#include "tests/support/fixtures.h"
#include "tests/support/sketch.h"

using namespace berth;

namespace {

// By the definition: reachability of all pairs, then every edge.
std::vector<NodeId> literal_cut_nodes(const Graph& graph) {
  const std::span<const NodeId> order = graph.topological_order();
  IdVector<NodeId, std::vector<std::uint8_t>> reaches(graph.node_count());
  for (const NodeId node : graph.nodes()) reaches[node].assign(graph.node_count(), 0);
  for (auto at = order.rbegin(); at != order.rend(); ++at)
    for (const NodeId next : graph.successors(*at)) {
      reaches[*at][index(next)] = 1;
      for (std::size_t i = 0; i < graph.node_count(); ++i) reaches[*at][i] |= reaches[next][i];
    }
  std::vector<NodeId> found;
  for (const NodeId node : order) {
    bool is_cut = true;
    for (const NodeId other : order) {
      is_cut &=
          other == node || reaches[node][index(other)] != 0 || reaches[other][index(node)] != 0;
      for (const NodeId next : graph.successors(other))
        is_cut &= !(reaches[other][index(node)] != 0 && reaches[node][index(next)] != 0);
    }
    if (is_cut) found.push_back(node);
  }
  return found;
}

}  // namespace

TEST_CASE("a chain is cut at every node, a diamond at its ends") {
  Sketch sketch("diamond", 1);
  const NodeId a = sketch.node("a", {1}), b = sketch.node("b", {1}), c = sketch.node("c", {1}),
               d = sketch.node("d", {1}), e = sketch.node("e", {1});
  sketch.tensor(a, 1, {b, c});
  sketch.tensor(b, 1, {d});
  sketch.tensor(c, 1, {d});
  sketch.tensor(d, 1, {e});
  CHECK(cut_nodes(sketch.build().graph()) == std::vector<NodeId>{a, d, e});
}

TEST_CASE("an edge that leads past a node keeps it from being a cut") {
  // a -> b -> c, and a -> c past b.
  Sketch sketch("skip", 1);
  const NodeId a = sketch.node("a", {1}), b = sketch.node("b", {1}), c = sketch.node("c", {1});
  sketch.tensor(a, 1, {b, c});
  sketch.tensor(b, 1, {c});
  CHECK(cut_nodes(sketch.build().graph()) == std::vector<NodeId>{a, c});
}

TEST_CASE("cut nodes are those of the definition on random graphs") {
  Rng rng(4);
  std::size_t cuts = 0;
  for (int round = 0; round < effort(2000); ++round) {
    CAPTURE(round);
    const Problem problem = fixtures::random_problem(rng, {.max_nodes = 9});
    const std::vector<NodeId> found = cut_nodes(problem.graph());
    CHECK(found == literal_cut_nodes(problem.graph()));
    cuts += found.size();
  }
  CHECK(cuts > 0);
}
