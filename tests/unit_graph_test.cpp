// The problem by units equals what the nodes say, and is built once.
#include "berth/unit_graph.h"

#include <algorithm>
#include <set>
#include <vector>

#include <doctest/doctest.h>

#include "tests/support/effort.h"
#include "tests/support/fixtures.h"
#include "tests/support/sketch.h"

using namespace berth;

namespace {

std::vector<UnitId> listed(std::span<const UnitId> units) { return {units.begin(), units.end()}; }

void check_unit(const Problem& problem, const UnitGraph& units, UnitId unit) {
  const Graph& graph = problem.graph();
  std::int64_t weights = 0, outputs = 0, workspaces = 0, largest = 0;
  std::set<UnitId> after, before;
  for (const NodeId node : graph.nodes()) {
    if (problem.unit_of(node) != unit) continue;
    weights += graph.node(node).weights.count;
    workspaces += graph.node(node).workspace.count;
    largest = std::max(largest, graph.node(node).workspace.count);
    for (const TensorId tensor : graph.outputs(node)) outputs += graph.tensor(tensor).size.count;
    for (const NodeId next : graph.successors(node))
      if (problem.unit_of(next) != unit) after.insert(problem.unit_of(next));
    for (const NodeId other : graph.predecessors(node))
      if (problem.unit_of(other) != unit) before.insert(problem.unit_of(other));
  }
  REQUIRE(units.weights(unit) == Bytes{weights});
  REQUIRE(units.outputs(unit) == Bytes{outputs});
  REQUIRE(units.workspaces(unit) == Bytes{workspaces});
  REQUIRE(units.largest_workspace(unit) == Bytes{largest});
  REQUIRE(listed(units.successors(unit)) == std::vector<UnitId>(after.begin(), after.end()));
  REQUIRE(listed(units.predecessors(unit)) == std::vector<UnitId>(before.begin(), before.end()));
  after.insert(before.begin(), before.end());
  REQUIRE(listed(units.neighbours(unit)) == std::vector<UnitId>(after.begin(), after.end()));
  for (const DeviceId device : problem.devices()) {
    double time = 0;
    for (const NodeId node : problem.members(unit)) time += problem.time(node, device).count();
    REQUIRE(units.time(unit, device) ==
            (problem.unit_allows(unit, device) ? time : kForever.count()));
  }
  for (std::uint32_t set = 0; set < problem.apart().size(); ++set) {
    const auto& members = problem.apart()[set];
    const auto sets = units.apart_sets(unit);
    REQUIRE(std::count(members.begin(), members.end(), unit) ==
            std::count(sets.begin(), sets.end(), set));
  }
}

}  // namespace

TEST_CASE("times, bytes, neighbours and apart sets of units are those of their nodes") {
  Rng rng(17);
  for (int round = 0; round < effort(400); ++round) {
    const Problem problem = fixtures::random_problem(rng, {.max_nodes = 12});
    const UnitGraph& units = unit_graph(problem);
    REQUIRE(units.unit_count() == problem.unit_count());
    for (const UnitId unit : problem.units()) check_unit(problem, units, unit);
  }
}

TEST_CASE("a net has its producer and every other unit that uses it, once") {
  // a and b are together, c alone. a's tensor goes to b and c twice; b's stays inside.
  Sketch sketch("nets", 2);
  const NodeId a = sketch.node("a", {1, 1}), b = sketch.node("b", {1, 1}),
               c = sketch.node("c", {1, 1}), d = sketch.node("d", {1, 1});
  sketch.tensor(a, 4, {b, c, d});
  sketch.tensor(b, 4, {});
  sketch.constraints.together = {{a, b}, {c, d}};
  const Problem problem = sketch.build();
  const UnitGraph& units = unit_graph(problem);
  REQUIRE(units.nets().size() == 1);
  CHECK(units.nets()[0].producer == problem.unit_of(a));
  CHECK(listed(units.consumers(units.nets()[0])) == std::vector{problem.unit_of(c)});
}

TEST_CASE("copies and other execution models share one unit graph, other constraints do not") {
  const Problem& problem = fixtures::small_problem("chain");
  const Problem copy = problem;
  CHECK(&unit_graph(copy) == &unit_graph(problem));
  CHECK(&unit_graph(problem.with_model(Sequential{})) == &unit_graph(problem));
  CHECK(&unit_graph(problem.with_constraints({})) != &unit_graph(problem));
}
