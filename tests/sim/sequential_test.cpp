#include "berth/sim/sequential.h"

#include <doctest/doctest.h>

#include "berth/sim/evaluate.h"
#include "tests/support/sketch.h"

using namespace berth;

namespace {

double value(const Problem& problem, const Placement& placement) {
  const Simulation simulation = simulate(problem, placement);
  CHECK(sequential_schedule(problem, placement.device_of.items()).makespan.count() ==
        doctest::Approx(simulation.value.count()));
  CHECK(Evaluator(problem)(placement).value == simulation.value);
  return simulation.value.count();
}

Sketch sequential_sketch(double overhead) {
  Sketch sketch("sequential", 2);
  sketch.model = Sequential{.subgraph_overhead = Duration{overhead}};
  return sketch;
}

}  // namespace

TEST_CASE("nothing overlaps: compute, transfers and overheads add up") {
  // a 2 on d0, b 3 on d1, c 1 on d0; 4 and 5 bytes move; three subgraphs, two overheads of 10:
  // 6 + 9 + 20 = 35. All on d0: 2 + 7 + 1 = 10, one subgraph, no overhead.
  Sketch sketch = sequential_sketch(10);
  const NodeId a = sketch.node("a", {2, 2}), b = sketch.node("b", {7, 3});
  const NodeId c = sketch.node("c", {1, 1});
  sketch.tensor(a, 4, {b});
  sketch.tensor(b, 5, {c});
  const Problem problem = sketch.build();
  CHECK(value(problem, placed({0, 1, 0})) == doctest::Approx(35));
  CHECK(simulate(problem, placed({0, 1, 0})).subgraphs == 3);
  CHECK(value(problem, placed({0, 0, 0})) == doctest::Approx(10));
}

TEST_CASE("a tensor is paid once per receiving device, also over several subgraphs") {
  // s on d0 feeds u and w on d1, with v on d0 between u and w: u and w are two subgraphs, but s's
  // 4 bytes move once. Compute 4, moves 4 + 1 (u to v) + 1 (v to w), subgraphs {s}, {u}, {v}, {w}:
  // 4 + 6 + 3 * 2 = 16.
  Sketch sketch = sequential_sketch(2);
  const NodeId s = sketch.node("s", {1, 1}), u = sketch.node("u", {1, 1});
  const NodeId v = sketch.node("v", {1, 1}), w = sketch.node("w", {1, 1});
  sketch.tensor(s, 4, {u, w});
  sketch.tensor(u, 1, {v});
  sketch.tensor(v, 1, {w});
  const Problem problem = sketch.build();
  CHECK(value(problem, placed({0, 1, 0, 1})) == doctest::Approx(16));
  CHECK(simulate(problem, placed({0, 1, 0, 1})).crossings == 3);
}

TEST_CASE("unconnected parts of one device are subgraphs of their own") {
  Sketch sketch = sequential_sketch(5);
  sketch.node("a", {1, 1});
  sketch.node("b", {1, 1});
  CHECK(value(sketch.build(), placed({0, 0})) == doctest::Approx(7));
}

TEST_CASE("the schedule fetches what a subgraph misses one after another before it starts") {
  // d0: a 0-1, b 1-2 ({a} and {b} are two subgraphs, no overhead). d1: fetch 3 bytes 2-5 and
  // 2 bytes 5-7, then c 7-8.
  Sketch sketch = sequential_sketch(0);
  const NodeId a = sketch.node("a", {1, 1}), b = sketch.node("b", {1, 1});
  const NodeId c = sketch.node("c", {1, 1});
  sketch.tensor(a, 3, {c});
  sketch.tensor(b, 2, {c});
  const Schedule schedule =
      sequential_schedule(sketch.build(), placed({0, 0, 1}).device_of.items());
  REQUIRE(schedule.moves.size() == 2);
  CHECK(schedule.moves[0].start.count() == doctest::Approx(2));
  CHECK(schedule.moves[1].finish.count() == doctest::Approx(7));
  REQUIRE(schedule.runs.size() == 3);
  CHECK(schedule.runs[2].node == c);
  CHECK(schedule.runs[2].start.count() == doctest::Approx(7));
  CHECK(schedule.makespan.count() == doctest::Approx(8));
}
