#include "berth/sim/pieces.h"

#include <set>
#include <tuple>
#include <utility>
#include <vector>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "tests/support/fixtures.h"
#include "tests/support/naive_simulator.h"
#include "tests/support/sketch.h"

using namespace berth;

namespace {

using Sets = std::set<std::set<NodeId>>;

// A graph of nodes 0..n-1 with the given edges; times do not matter here.
Problem graph_of(std::size_t nodes, const std::vector<std::pair<int, int>>& edges,
                 std::size_t devices) {
  Sketch sketch("graph", devices);
  for (std::size_t i = 0; i < nodes; ++i)
    sketch.node(fmt::format("n{}", i), std::vector<double>(devices, 1));
  for (const auto& [from, to] : edges)
    sketch.tensor(static_cast<NodeId>(from), 1, {static_cast<NodeId>(to)});
  return sketch.build();
}

Sets cut(const Problem& problem, std::vector<int> devices, PieceKind kind) {
  return naive::as_sets(
      cut_into_pieces(problem, placed(std::move(devices)).device_of.items(), kind));
}

std::set<NodeId> nodes(std::vector<int> numbers) {
  std::set<NodeId> result;
  for (const int number : numbers) result.insert(static_cast<NodeId>(number));
  return result;
}

}  // namespace

TEST_CASE("one device is one call, and one subgraph per connected part") {
  const Problem problem = graph_of(4, {{0, 1}, {2, 3}}, 1);
  CHECK(cut(problem, {0, 0, 0, 0}, PieceKind::kCalls) == Sets{nodes({0, 1, 2, 3})});
  CHECK(cut(problem, {0, 0, 0, 0}, PieceKind::kSubgraphs) == Sets{nodes({0, 1}), nodes({2, 3})});
}

TEST_CASE("a chain that leaves and returns makes a piece each time") {
  const Problem problem = graph_of(5, {{0, 1}, {1, 2}, {2, 3}, {3, 4}}, 2);
  const Sets expected{nodes({0}), nodes({1}), nodes({2}), nodes({3, 4})};
  CHECK(cut(problem, {0, 1, 0, 1, 1}, PieceKind::kSubgraphs) == expected);
  CHECK(cut(problem, {0, 1, 0, 1, 1}, PieceKind::kCalls) == expected);
}

TEST_CASE("a side branch that does not return leaves the piece whole") {
  // 0 -> 1 -> 2 on d0, 1 -> 3 on d1.
  const Problem problem = graph_of(4, {{0, 1}, {1, 2}, {1, 3}}, 2);
  CHECK(cut(problem, {0, 0, 0, 1}, PieceKind::kSubgraphs) == Sets{nodes({0, 1, 2}), nodes({3})});
}

TEST_CASE("a branch that returns puts the join into the next piece, though it also stays") {
  // Diamond 0 -> {1, 2} -> 3 with 2 elsewhere: the path 0, 2, 3 leaves and comes back.
  const Problem problem = graph_of(4, {{0, 1}, {0, 2}, {1, 3}, {2, 3}}, 2);
  CHECK(cut(problem, {0, 0, 1, 0}, PieceKind::kSubgraphs) ==
        Sets{nodes({0, 1}), nodes({2}), nodes({3})});
}

TEST_CASE("re-entry is counted per device, over any number of other devices") {
  // 0(d0) -> 1(d1) -> 2(d2) -> 3(d0) -> 4(d1): second pieces of d0 and d1.
  const Problem problem = graph_of(5, {{0, 1}, {1, 2}, {2, 3}, {3, 4}}, 3);
  CHECK(cut(problem, {0, 1, 2, 0, 1}, PieceKind::kCalls).size() == 5);
}

TEST_CASE("two convex pieces that feed each other are split by level") {
  // 0 -> 2 and 3 -> 1 with {0, 1} on d0 and {2, 3} on d1. Both sets are convex, yet each waits for
  // the other. Levels: 0 and 3 are 0, 1 and 2 are 1. Four pieces.
  const Sets four{nodes({0}), nodes({1}), nodes({2}), nodes({3})};
  const Problem loose = graph_of(4, {{0, 2}, {3, 1}}, 2);
  CHECK(cut(loose, {0, 0, 1, 1}, PieceKind::kCalls) == four);
  CHECK(cut(loose, {0, 0, 1, 1}, PieceKind::kSubgraphs) == four);
  // The same when each pair is also joined by an edge of its own.
  const Problem tied = graph_of(4, {{0, 2}, {3, 1}, {0, 1}, {3, 2}}, 2);
  CHECK(cut(tied, {0, 0, 1, 1}, PieceKind::kSubgraphs) == four);
}

TEST_CASE("pieces outside the cycle keep their nodes whatever their levels") {
  // The cycle above on d0 and d1, and 4(d2) -> 5(d3) -> 6(d2) beside it plus 7 on d2 alone.
  const Problem problem = graph_of(8, {{0, 2}, {3, 1}, {4, 5}, {4, 7}, {5, 6}, {7, 6}}, 4);
  const Sets calls = cut(problem, {0, 0, 1, 1, 2, 3, 2, 2}, PieceKind::kCalls);
  CHECK(calls.count(nodes({4, 7})) == 1);
  CHECK(calls.size() == 7);
}

TEST_CASE("random placements: pieces are those of the rule, in a topological order, and convex") {
  Rng rng(21);
  for (int round = 0; round < 1500; ++round) {
    const Problem problem =
        fixtures::random_problem(rng, {.max_nodes = 12, .min_devices = 2, .max_devices = 4});
    const Placement placement = fixtures::random_placement(rng, problem);
    const std::span<const DeviceId> device_of = placement.device_of.items();
    const Graph& graph = problem.graph();
    for (const PieceKind kind : {PieceKind::kSubgraphs, PieceKind::kCalls}) {
      const Pieces pieces = cut_into_pieces(problem, device_of, kind);
      REQUIRE(naive::as_sets(pieces) == naive::pieces(problem, device_of, kind));
      for (const NodeId node : graph.nodes()) {
        REQUIRE(pieces.piece_of[node] < pieces.count());
        REQUIRE(pieces.device[pieces.piece_of[node]] == device_of[index(node)]);
        // Numbers never fall along an edge: a path cannot leave a piece and come back.
        for (const NodeId next : graph.successors(node))
          REQUIRE(pieces.piece_of[node] <= pieces.piece_of[next]);
      }
      REQUIRE(naive::as_sets(pieces).size() == pieces.count());
    }
  }
}

TEST_CASE("an eager piece ends where a tensor leaves and begins where one arrives") {
  // A fork 0 -> {1, 2, 3} -> join 4 -> 5; only branch 3 is on d1. The two branches that stay run as
  // one piece beside it; the fork must be published before them, the join must wait.
  const Problem problem = graph_of(6, {{0, 1}, {0, 2}, {0, 3}, {1, 4}, {2, 4}, {3, 4}, {4, 5}}, 2);
  CHECK(cut(problem, {0, 0, 0, 1, 0, 0}, PieceKind::kEager) ==
        Sets{nodes({0}), nodes({1, 2}), nodes({3}), nodes({4, 5})});
  CHECK(cut(problem, {0, 0, 0, 0, 0, 0}, PieceKind::kEager) == Sets{nodes({0, 1, 2, 3, 4, 5})});
}

TEST_CASE("a tensor used twice on the other device crosses once") {
  // 0 on d0 feeds 1 and 2 on d1, which are alike in what they wait for and in what waits for them.
  const Problem problem = [] {
    Sketch sketch("shared", 2);
    for (int i = 0; i < 3; ++i) sketch.node(fmt::format("n{}", i), {1, 1});
    sketch.tensor(NodeId{0}, 1, {NodeId{1}, NodeId{2}});
    return sketch.build();
  }();
  CHECK(cut(problem, {0, 1, 1}, PieceKind::kEager) == Sets{nodes({0}), nodes({1, 2})});
}

TEST_CASE("nodes share an eager piece exactly when the same crossings surround them") {
  Rng rng(29);
  for (int round = 0; round < 300; ++round) {
    const Problem problem = fixtures::random_problem(rng, {.max_nodes = 12});
    const Graph& graph = problem.graph();
    const Placement placement = fixtures::random_placement(rng, problem);
    const auto& device_of = placement.device_of;
    const Pieces pieces = eager_pieces(graph, device_of.items());

    // reaches[u]: all nodes on paths from u, itself included.
    IdVector<NodeId, std::set<NodeId>> reaches(graph.node_count());
    const auto order = graph.topological_order();
    for (std::size_t i = order.size(); i-- > 0;) {
      reaches[order[i]].insert(order[i]);
      for (const NodeId next : graph.successors(order[i]))
        reaches[order[i]].insert(reaches[next].begin(), reaches[next].end());
    }
    using Key = std::tuple<DeviceId, std::set<std::pair<TensorId, DeviceId>>,
                           std::set<std::pair<TensorId, DeviceId>>>;
    IdVector<NodeId, Key> key(graph.node_count());
    for (const NodeId node : graph.nodes()) {
      auto& [device, in, out] = key[node];
      device = device_of[node];
      for (const TensorId tensor : graph.tensors())
        for (const NodeId to : graph.consumers(tensor)) {
          if (device_of[to] == device_of[graph.producer(tensor)]) continue;
          if (reaches[to].contains(node)) in.emplace(tensor, device_of[to]);
          if (reaches[node].contains(graph.producer(tensor))) out.emplace(tensor, device_of[to]);
        }
    }
    for (const NodeId a : graph.nodes()) {
      for (const NodeId b : graph.nodes())
        CHECK((pieces.piece_of[a] == pieces.piece_of[b]) == (key[a] == key[b]));
      for (const NodeId next : graph.successors(a))
        CHECK(pieces.piece_of[a] <= pieces.piece_of[next]);  // numbered in topological order
      CHECK(pieces.device[pieces.piece_of[a]] == device_of[a]);
    }
  }
}
