#include "berth/learn/heavy_edge_groups.h"

#include <algorithm>
#include <set>
#include <string>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "berth/graph/order.h"
#include "tests/support/effort.h"
#include "tests/support/fixtures.h"
#include "tests/support/sketch.h"

namespace berth {
namespace {

Groups groups_of(const Problem& problem, std::size_t most) {
  return heavy_edge_groups(problem, policy_graph(problem, Colocation::kUnits), most);
}

// Edges between groups, each once.
Adjacency between_groups(const PolicyGraph& graph, const Groups& groups) {
  std::set<std::pair<std::uint32_t, std::uint32_t>> pairs;
  for (const PolicyGraph::Edge& edge : graph.edges)
    if (groups.group_of[edge.from] != groups.group_of[edge.to])
      pairs.insert({groups.group_of[edge.from], groups.group_of[edge.to]});
  Adjacency successors(groups.count);
  for (const auto& [from, to] : pairs) successors[from].push_back(to);
  return successors;
}

std::size_t components(const Adjacency& successors) {
  const std::vector<std::uint32_t> component = strongly_connected_components(successors);
  return std::set<std::uint32_t>(component.begin(), component.end()).size();
}

// Layers of `width` nodes, each with a few random predecessors in the layers before.
Problem layered(std::size_t layers, std::size_t width, Rng& rng) {
  Sketch sketch("layers", 2);
  std::vector<NodeId> nodes;
  std::vector<std::vector<NodeId>> uses;
  for (std::size_t i = 0; i < layers * width; ++i) {
    const double micros = 1 + 4 * rng.uniform();
    nodes.push_back(sketch.node(fmt::format("n{}", i), {micros, 2 * micros}));
    uses.emplace_back();
    for (std::size_t k = 0; i >= width && k < 1 + rng.below(3); ++k)
      uses[rng.below(i / width * width)].push_back(nodes.back());
    if (i >= width) uses[i - width].push_back(nodes.back());
  }
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    std::sort(uses[i].begin(), uses[i].end());
    uses[i].erase(std::unique(uses[i].begin(), uses[i].end()), uses[i].end());
    sketch.tensor(nodes[i], static_cast<std::int64_t>(1 + rng.below(1000)), uses[i]);
  }
  return sketch.build();
}

TEST_CASE("few sets stay as they are") {
  const Problem& problem = fixtures::small_problem("chain");
  const Groups groups = groups_of(problem, 128);
  CHECK(groups.count == problem.unit_count());
  CHECK(groups.group_of[1] == 1);
}

TEST_CASE("the edge with most bytes goes first, and bytes of parallel edges add up") {
  // a -> b -> d and a -> c -> d, all nodes of 1 us. For two groups no two may exceed 4 us.
  // b -> d is the heaviest, then a -> c; what is left is two groups.
  Sketch sketch("diamond", 2);
  const NodeId a = sketch.node("a", {1, 1}), b = sketch.node("b", {1, 1});
  const NodeId c = sketch.node("c", {1, 1}), d = sketch.node("d", {1, 1});
  sketch.tensor(a, 5, {b});
  sketch.tensor(a, 10, {c});
  sketch.tensor(b, 30, {d});
  sketch.tensor(c, 6, {d});
  CHECK(groups_of(sketch.build(), 2).group_of == std::vector<std::uint32_t>{0, 1, 0, 1});
  // Of three groups no two may exceed 8/3 us: only b and d join.
  CHECK(groups_of(sketch.build(), 3).group_of == std::vector<std::uint32_t>{0, 1, 2, 1});
}

TEST_CASE("an edge with another path beside it is not contracted before that path is") {
  // a -> b -> c and a -> c, heaviest of all: alone it would put b between two halves of one group.
  Sketch sketch("shortcut", 2);
  const NodeId a = sketch.node("a", {1, 1}), b = sketch.node("b", {1, 1});
  const NodeId c = sketch.node("c", {1, 1});
  sketch.tensor(a, 5, {b});
  sketch.tensor(a, 100, {c});
  sketch.tensor(b, 6, {c});
  CHECK(groups_of(sketch.build(), 2).group_of == std::vector<std::uint32_t>{0, 1, 1});
  // One group may take all the time: b and c join first, then a -> c is free.
  CHECK(groups_of(sketch.build(), 1).count == 1);
}

TEST_CASE("groups take at most twice their share of the time") {
  // A chain of ten 1 us nodes with falling bytes: for five groups at most 4 us each.
  Sketch sketch("chain", 1);
  NodeId last{};
  for (int i = 0; i < 10; ++i) {
    const NodeId node = sketch.node(fmt::format("n{}", i), {1});
    if (i > 0) sketch.tensor(last, 100 - i, {node});
    last = node;
  }
  const Groups groups = groups_of(sketch.build(), 5);
  CHECK(groups.group_of == std::vector<std::uint32_t>{0, 0, 0, 0, 1, 1, 1, 2, 3, 4});
}

TEST_CASE("sets without edges between them join along the topological order, shortest first") {
  // A star: the leaves are too short to stay alone, the centre too long to take them all.
  Sketch sketch("star", 2);
  const NodeId centre = sketch.node("centre", {50, 50});
  std::vector<NodeId> leaves;
  for (int i = 0; i < 50; ++i) leaves.push_back(sketch.node(fmt::format("leaf{}", i), {1, 1}));
  sketch.tensor(centre, 10, leaves);
  const Groups groups = groups_of(sketch.build(), 4);
  CHECK(groups.count <= 4);
  CHECK(std::count(groups.group_of.begin(), groups.group_of.end(), groups.group_of[50]) > 1);
}

TEST_CASE("sets that may use different devices join only where nothing else is left") {
  // a and b run anywhere, c on the first device only.
  Sketch sketch("masks", 2);
  const NodeId a = sketch.node("a", {1, 1}), b = sketch.node("b", {1, 1});
  const NodeId c = sketch.node("c", {1, kNever});
  sketch.tensor(a, 5, {b});
  sketch.tensor(b, 100, {c});
  CHECK(groups_of(sketch.build(), 2).group_of == std::vector<std::uint32_t>{0, 0, 1});
  CHECK(groups_of(sketch.build(), 1).count == 1);
  // No device for both: two groups, however many are asked for.
  Sketch never("never", 2);
  const NodeId first = never.node("a", {1, kNever}), second = never.node("b", {kNever, 1});
  never.tensor(first, 5, {second});
  CHECK(groups_of(never.build(), 1).count == 2);
}

TEST_CASE("sets that must stay apart stay alone") {
  Sketch sketch("apart", 2);
  const NodeId a = sketch.node("a", {1, 1}), b = sketch.node("b", {1, 1});
  const NodeId c = sketch.node("c", {1, 1}), d = sketch.node("d", {1, 1});
  sketch.tensor(a, 5, {b});
  sketch.tensor(b, 5, {c});
  sketch.tensor(c, 5, {d});
  sketch.constraints.apart = {{b, d}};
  const Groups groups = groups_of(sketch.build(), 1);
  for (const std::uint32_t alone : {1, 3})
    CHECK(std::count(groups.group_of.begin(), groups.group_of.end(), groups.group_of[alone]) == 1);
}

TEST_CASE("on random problems every set is in one group, some device runs it, no cycle is new") {
  for (int seed = 1; seed <= effort(400); ++seed) {
    CAPTURE(seed);
    Rng rng(static_cast<std::uint64_t>(seed));
    fixtures::RandomShape shape{.max_nodes = 24};
    const Problem problem = fixtures::random_problem(rng, shape);
    const PolicyGraph graph = policy_graph(problem, Colocation::kUnits);
    const Groups groups = heavy_edge_groups(problem, graph, 1 + rng.below(8));
    REQUIRE(groups.group_of.size() == graph.size());
    std::vector<std::vector<std::uint8_t>> allowed(
        groups.count, std::vector<std::uint8_t>(graph.device_count, 1));
    std::uint32_t seen = 0;
    for (std::uint32_t set = 0; set < graph.size(); ++set) {
      REQUIRE(groups.group_of[set] <= seen);  // numbered by first set
      seen = std::max(seen, groups.group_of[set] + 1);
      for (std::size_t d = 0; d < graph.device_count; ++d)
        allowed[groups.group_of[set]][d] &= static_cast<std::uint8_t>(graph.may_use(set, d));
    }
    CHECK(seen == groups.count);
    for (const auto& row : allowed) CHECK(std::find(row.begin(), row.end(), 1) != row.end());
    if (components(graph.successors) == graph.size())
      CHECK(components(between_groups(graph, groups)) == groups.count);
  }
}

TEST_CASE("layers with shortcuts come down to the number asked for, without cycles") {
  Rng rng(5);
  for (const std::size_t most : {7, 32, 128}) {
    const Problem problem = layered(40, 12, rng);
    const PolicyGraph graph = policy_graph(problem, Colocation::kUnits);
    const Groups groups = heavy_edge_groups(problem, graph, most);
    CHECK(groups.count <= most);
    CHECK(groups.count > most / 2);
    CHECK(components(between_groups(graph, groups)) == groups.count);
    std::vector<double> micros(groups.count, 0.0);
    double total = 0;
    for (std::uint32_t set = 0; set < graph.size(); ++set) {
      micros[groups.group_of[set]] += graph.micros[2 * set];
      total += graph.micros[2 * set];
    }
    CHECK(*std::max_element(micros.begin(), micros.end()) <=
          2 * total / static_cast<double>(most) * (1 + 1e-9));
  }
}

}  // namespace
}  // namespace berth
