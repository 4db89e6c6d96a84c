#include "berth/sim/call.h"

#include <vector>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "berth/sim/evaluate.h"
#include "tests/support/sketch.h"

using namespace berth;

// d0 is the CPU, the others are accelerators; links take one microsecond per byte.

namespace {

Sketch call_sketch(std::size_t devices) {
  Sketch sketch("call", devices, 1);
  sketch.model = CallLatency{};
  return sketch;
}

double latency(const Problem& problem, const Placement& placement) {
  const std::vector<DeviceId>& device_of = placement.device_of.items();
  const Pieces calls = cut_into_pieces(problem, device_of, PieceKind::kCalls);
  const double value = call_latency(problem, calls).count();
  CHECK(call_schedule(problem, calls).makespan.count() == doctest::Approx(value));
  CHECK(simulate(problem, placement).value.count() == doctest::Approx(value));
  return value;
}

}  // namespace

TEST_CASE("a call reads, computes and writes in sequence") {
  // a on the CPU 0-2; call {b, c} starts at 2: read 2, compute 3 + 4, write 1: ends at 12; d 12-13.
  Sketch sketch = call_sketch(2);
  const NodeId a = sketch.node("a", {2, 2}), b = sketch.node("b", {3, 3});
  const NodeId c = sketch.node("c", {4, 4}), d = sketch.node("d", {1, 1});
  sketch.tensor(a, 2, {b});
  sketch.tensor(b, 5, {c});
  sketch.tensor(c, 1, {d});
  const Problem problem = sketch.build();
  CHECK(latency(problem, placed({0, 1, 1, 0})) == doctest::Approx(13));
  CHECK(latency(problem, placed({0, 0, 0, 0})) == doctest::Approx(10));
  CHECK(latency(problem, placed({1, 1, 1, 1})) == doctest::Approx(10));
  const Schedule schedule = call_schedule(
      problem, cut_into_pieces(problem, placed({0, 1, 1, 0}).device_of.items(), PieceKind::kCalls));
  REQUIRE(schedule.moves.size() == 2);
  CHECK(schedule.moves[0].start.count() == doctest::Approx(2));
  CHECK(schedule.moves[0].finish.count() == doctest::Approx(4));
  CHECK(schedule.moves[1].start.count() == doctest::Approx(11));
  CHECK(schedule.moves[1].finish.count() == doctest::Approx(12));
}

TEST_CASE("a call waits for all inputs of the piece, also those of its last node") {
  // x (CPU) 0-1, y (CPU) 0-7; p uses x, q uses p and y. Call {p, q}: start 7, read 1 + 1,
  // compute 2 + 2: 13. Though p could have run at 1.
  Sketch sketch = call_sketch(2);
  const NodeId x = sketch.node("x", {1, 1}), y = sketch.node("y", {7, 7});
  const NodeId p = sketch.node("p", {2, 2}), q = sketch.node("q", {2, 2});
  sketch.tensor(x, 1, {p});
  sketch.tensor(y, 1, {q});
  sketch.tensor(p, 9, {q});
  CHECK(latency(sketch.build(), placed({0, 0, 1, 1})) == doctest::Approx(13));
}

TEST_CASE("nodes of a call are ready only at its end") {
  // Call {p, q} with p feeding a CPU node r: 0: compute 2 + 5, write 1: 8; r 8-9. p ended at 2.
  Sketch sketch = call_sketch(2);
  const NodeId p = sketch.node("p", {2, 2}), r = sketch.node("r", {1, 1});
  sketch.node("q", {5, 5});
  sketch.tensor(p, 1, {r});
  CHECK(latency(sketch.build(), placed({1, 0, 1})) == doctest::Approx(9));
}

TEST_CASE("CPUs are unlimited: independent CPU nodes overlap") {
  Sketch sketch = call_sketch(2);
  for (int i = 0; i < 5; ++i) sketch.node(fmt::format("n{}", i), {3, 3});
  CHECK(latency(sketch.build(), placed({0, 0, 0, 0, 0})) == doctest::Approx(3));
  CHECK(latency(sketch.build(), placed({1, 1, 1, 1, 1})) == doctest::Approx(15));
}

TEST_CASE("a path that re-enters an accelerator makes a second call, with traffic in between") {
  // a (acc) -> b (CPU) -> c (acc), and a -> c directly with a tensor of its own.
  // Call 1 {a}: compute 3, write 2 (to b) and 5 (to c): 10. b: 10-12.
  // Call 2 {c}: start 12, read 4 (from b) and 5 (from a), compute 1: 22.
  Sketch sketch = call_sketch(2);
  const NodeId a = sketch.node("a", {3, 3}), b = sketch.node("b", {2, 2});
  const NodeId c = sketch.node("c", {1, 1});
  sketch.tensor(a, 2, {b});
  sketch.tensor(a, 5, {c});
  sketch.tensor(b, 4, {c});
  CHECK(latency(sketch.build(), placed({1, 0, 1})) == doctest::Approx(22));
  // With one piece allowed the value stands, but a rule is broken; with two it is not.
  CHECK(simulate(sketch.build(), placed({1, 0, 1})).broken);
  CHECK(Evaluator(sketch.build())(placed({1, 0, 1})).overflow == doctest::Approx(1));
  sketch.model = CallLatency{.pieces = 2};
  CHECK_FALSE(simulate(sketch.build(), placed({1, 0, 1})).broken);
  CHECK(Evaluator(sketch.build())(placed({1, 0, 1})).feasible());
}

TEST_CASE("a tensor used by the CPU and by a later call is written once") {
  // a -> {b on CPU, c on acc}: write 2 once. Call 1: 3 + 2 = 5; b 5-7; call 2: read 2 + 4, 1: 14.
  Sketch sketch = call_sketch(2);
  sketch.model = CallLatency{.pieces = 2};
  const NodeId a = sketch.node("a", {3, 3}), b = sketch.node("b", {2, 2});
  const NodeId c = sketch.node("c", {1, 1});
  sketch.tensor(a, 2, {b, c});
  sketch.tensor(b, 4, {c});
  CHECK(latency(sketch.build(), placed({1, 0, 1})) == doctest::Approx(14));
}

TEST_CASE("a CPU node fed by the piece that another feeds does not cut the piece") {
  // a1 -> c1 and c2 -> a2 with a1, a2 on one accelerator and c1, c2 on the CPU: one call.
  // c2 0-4; call {a1, a2}: start 4, read 1, compute 2 + 2, write 1: 10; c1 10-13.
  Sketch sketch = call_sketch(2);
  const NodeId a1 = sketch.node("a1", {2, 2}), a2 = sketch.node("a2", {2, 2});
  const NodeId c1 = sketch.node("c1", {3, 3}), c2 = sketch.node("c2", {4, 4});
  sketch.tensor(a1, 1, {c1});
  sketch.tensor(c2, 1, {a2});
  const Problem problem = sketch.build();
  CHECK(latency(problem, placed({1, 1, 0, 0})) == doctest::Approx(13));
  CHECK_FALSE(simulate(problem, placed({1, 1, 0, 0})).broken);
}

TEST_CASE("two accelerators that feed each other take two calls each") {
  // a1 -> b1 and b2 -> a2: each is split. Topological order of the nodes: a1, b1, b2, a2, and so
  // of the calls. a1: 2 + write 1: 3. b1: start 3, read 1 + 2: 6. b2 after it on its device:
  // 2 + 1: 9. a2: start 9, read 1 + 2: 12.
  Sketch sketch = call_sketch(3);
  const NodeId a1 = sketch.node("a1", {2, 2, 2}), a2 = sketch.node("a2", {2, 2, 2});
  const NodeId b1 = sketch.node("b1", {2, 2, 2}), b2 = sketch.node("b2", {2, 2, 2});
  sketch.tensor(a1, 1, {b1});
  sketch.tensor(b2, 1, {a2});
  const Problem problem = sketch.build();
  CHECK(latency(problem, placed({1, 1, 2, 2})) == doctest::Approx(12));
  CHECK(simulate(problem, placed({1, 1, 2, 2})).broken);
}
