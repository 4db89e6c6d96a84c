#include "berth/sim/concurrent.h"

#include <algorithm>
#include <vector>

#include <doctest/doctest.h>

#include "berth/sim/evaluate.h"
#include "tests/support/sketch.h"

using namespace berth;

// Links take one microsecond per byte; every directed link is a channel of its own, unless said.

namespace {

Schedule record(const Problem& problem, const Placement& placement) {
  return ConcurrentSimulator(problem).record(placement.device_of.items(), placement.order);
}

Duration makespan(const Problem& problem, const Placement& placement) {
  ConcurrentSimulator simulator(problem);
  const Duration value = simulator.run(placement.device_of.items(), placement.order);
  CHECK(simulator.record(placement.device_of.items(), placement.order).makespan == value);
  CHECK(simulate(problem, placement).value == value);
  return value;
}

const Run& run_of(const Schedule& schedule, NodeId node) {
  return *std::find_if(schedule.runs.begin(), schedule.runs.end(),
                       [&](const Run& run) { return run.node == node; });
}

const Move& move_of(const Schedule& schedule, TensorId tensor, DeviceId to) {
  return *std::find_if(schedule.moves.begin(), schedule.moves.end(),
                       [&](const Move& move) { return move.tensor == tensor && move.to == to; });
}

void check_run(const Schedule& schedule, NodeId node, double start, double finish) {
  CAPTURE(index(node));
  CHECK(run_of(schedule, node).start.count() == doctest::Approx(start));
  CHECK(run_of(schedule, node).finish.count() == doctest::Approx(finish));
}

void check_move(const Schedule& schedule, TensorId tensor, DeviceId to, double start,
                double finish) {
  CAPTURE(index(tensor));
  CHECK(move_of(schedule, tensor, to).start.count() == doctest::Approx(start));
  CHECK(move_of(schedule, tensor, to).finish.count() == doctest::Approx(finish));
}

}  // namespace

TEST_CASE("a tensor is sent once to each device that uses it") {
  // source 0-1 on d0; 4 bytes to d1 and d2, 1-5 each; d1 runs its two users 5-7 and 7-9.
  Sketch sketch("fan-out", 3);
  const NodeId source = sketch.node("source", {1, 1, 1});
  const NodeId u = sketch.node("u", {2, 2, 2}), v = sketch.node("v", {2, 2, 2});
  const NodeId w = sketch.node("w", {2, 2, 2});
  const TensorId tensor = sketch.tensor(source, 4, {u, v, w});
  const Problem problem = sketch.build();
  const Placement placement = placed({0, 1, 1, 2});
  const Schedule schedule = record(problem, placement);
  CHECK(schedule.moves.size() == 2);
  check_move(schedule, tensor, DeviceId{1}, 1, 5);
  check_move(schedule, tensor, DeviceId{2}, 1, 5);
  check_run(schedule, u, 5, 7);
  check_run(schedule, v, 7, 9);
  check_run(schedule, w, 5, 7);
  CHECK(makespan(problem, placement).count() == doctest::Approx(9));
  const Simulation simulation = simulate(problem, placement);
  CHECK(simulation.crossings == 2);
  CHECK(simulation.crossing_bytes == Bytes{8});
}

TEST_CASE("transfers of one channel go in the order they are requested, not the shortest first") {
  // d0: a 0-1, b 1-2. a's 5 bytes move 1-6; b's 1 byte, requested at 2, waits: 6-7.
  // x runs 6-9 and y, which arrives at 7, after it: 9-10.
  Sketch sketch("queue", 2);
  const NodeId a = sketch.node("a", {1, 1}), b = sketch.node("b", {1, 1});
  const NodeId x = sketch.node("x", {3, 3}), y = sketch.node("y", {1, 1});
  const TensorId big = sketch.tensor(a, 5, {x}), small = sketch.tensor(b, 1, {y});
  const Problem problem = sketch.build();
  const Placement placement = placed({0, 0, 1, 1});
  const Schedule schedule = record(problem, placement);
  check_move(schedule, big, DeviceId{1}, 1, 6);
  check_move(schedule, small, DeviceId{1}, 6, 7);
  check_run(schedule, x, 6, 9);
  check_run(schedule, y, 9, 10);
  CHECK(makespan(problem, placement).count() == doctest::Approx(10));
}

TEST_CASE("the outputs of one node are requested in order, receivers in the order of consumers") {
  // a ends at 1. All links share a bus: t0 to d2 (for y) 1-3, t0 to d1 (for x) 3-5, t1 to d1 5-6.
  Sketch sketch("outputs", 3);
  const NodeId a = sketch.node("a", {1, 1, 1});
  const NodeId x = sketch.node("x", {1, 1, 1}), y = sketch.node("y", {1, 1, 1});
  const NodeId z = sketch.node("z", {1, 1, 1});
  const TensorId t0 = sketch.tensor(a, 2, {y, x}), t1 = sketch.tensor(a, 1, {z});
  sketch.cluster.set_shared_bus("bus");
  const Problem problem = sketch.build();
  const Schedule schedule = record(problem, placed({0, 1, 2, 1}));
  check_move(schedule, t0, DeviceId{2}, 1, 3);
  check_move(schedule, t0, DeviceId{1}, 3, 5);
  check_move(schedule, t1, DeviceId{1}, 5, 6);
  check_run(schedule, z, 6, 7);
  CHECK(schedule.makespan.count() == doctest::Approx(7));
}

TEST_CASE("a bus makes two senders wait for each other, separate wires do not") {
  // a on d0 and c on d2 both end at 1 and send 3 bytes to d1.
  // Own wires: both arrive at 4, x 4-5, y 5-6. Bus: d0 first 1-4, d2 4-7; x 4-5, y 7-8.
  Sketch sketch("bus", 3);
  const NodeId a = sketch.node("a", {1, 1, 1}), c = sketch.node("c", {1, 1, 1});
  const NodeId x = sketch.node("x", {1, 1, 1}), y = sketch.node("y", {1, 1, 1});
  sketch.tensor(a, 3, {x});
  sketch.tensor(c, 3, {y});
  const Placement placement = placed({0, 2, 1, 1});
  CHECK(makespan(sketch.build(), placement).count() == doctest::Approx(6));
  sketch.cluster.set_shared_bus("bus");
  const Problem bus = sketch.build();
  CHECK(makespan(bus, placement).count() == doctest::Approx(8));
  const Schedule schedule = record(bus, placement);
  check_run(schedule, x, 4, 5);
  check_run(schedule, y, 7, 8);
}

TEST_CASE("a link without channels never makes a transfer wait") {
  // a 0-1, b 1-2 on d0; 5 bytes 1-6 and 4 bytes 2-6 at once; d1: x 6-7, y 7-8.
  Sketch sketch("free", 2);
  const NodeId a = sketch.node("a", {1, 1}), b = sketch.node("b", {1, 1});
  const NodeId x = sketch.node("x", {1, 1}), y = sketch.node("y", {1, 1});
  sketch.tensor(a, 5, {x});
  const TensorId second = sketch.tensor(b, 4, {y});
  sketch.cluster.set_uncontended();
  const Problem problem = sketch.build();
  const Placement placement = placed({0, 0, 1, 1});
  check_move(record(problem, placement), second, DeviceId{1}, 2, 6);
  CHECK(makespan(problem, placement).count() == doctest::Approx(8));
}

TEST_CASE("a transfer holds every channel of its link") {
  // Links 0->1 hold {p, q}, 0->2 holds {q}, 2->1 holds {p}. At 1 on d0: a sends 2 bytes to d1,
  // 1-3 on p and q; then 3 bytes to d2, 3-6 on q. c on d2 ends at 2 and sends 1 byte to d1: p is
  // free at 3: 3-4.
  Sketch sketch("channels", 3);
  const NodeId a = sketch.node("a", {1, 1, 1}), c = sketch.node("c", {2, 2, 2});
  const NodeId x = sketch.node("x", {1, 1, 1}), y = sketch.node("y", {1, 1, 1});
  const NodeId z = sketch.node("z", {1, 1, 1});
  const TensorId ax = sketch.tensor(a, 2, {x}), ay = sketch.tensor(a, 3, {y});
  const TensorId cz = sketch.tensor(c, 1, {z});
  const ChannelId p = sketch.cluster.add_channel("p"), q = sketch.cluster.add_channel("q");
  sketch.cluster.set_link_channels(DeviceId{0}, DeviceId{1}, {p, q});
  sketch.cluster.set_link_channels(DeviceId{0}, DeviceId{2}, {q});
  sketch.cluster.set_link_channels(DeviceId{2}, DeviceId{1}, {p});
  const Schedule schedule = record(sketch.build(), placed({0, 2, 1, 2, 1}));
  check_move(schedule, ax, DeviceId{1}, 1, 3);
  check_move(schedule, ay, DeviceId{2}, 3, 6);
  check_move(schedule, cz, DeviceId{1}, 3, 4);
  CHECK(schedule.makespan.count() == doctest::Approx(7));
}

TEST_CASE("requests are served in the order they are made, even when a later one could pass") {
  // d0 sends 0->1 over {p, q} while p is busy until 6 with an earlier 2->1 transfer: it is given
  // 6-8 on both. A later 0->2 over {q} alone, requested at 2, waits until 8 although q is idle.
  Sketch sketch("no overtaking", 3);
  const NodeId c = sketch.node("c", {0, 0, 0});  // d2, ends at 0, 6 bytes to d1: p 0-6
  const NodeId a = sketch.node("a", {1, 1, 1}), b = sketch.node("b", {1, 1, 1});
  const NodeId x = sketch.node("x", {1, 1, 1}), y = sketch.node("y", {1, 1, 1});
  const NodeId z = sketch.node("z", {1, 1, 1});
  sketch.tensor(c, 6, {z});
  const TensorId ax = sketch.tensor(a, 2, {x}), by = sketch.tensor(b, 1, {y});
  const ChannelId p = sketch.cluster.add_channel("p"), q = sketch.cluster.add_channel("q");
  sketch.cluster.set_link_channels(DeviceId{0}, DeviceId{1}, {p, q});
  sketch.cluster.set_link_channels(DeviceId{0}, DeviceId{2}, {q});
  sketch.cluster.set_link_channels(DeviceId{2}, DeviceId{1}, {p});
  const Schedule schedule = record(sketch.build(), placed({2, 0, 0, 1, 2, 1}));
  check_move(schedule, ax, DeviceId{1}, 6, 8);
  check_move(schedule, by, DeviceId{2}, 8, 9);
}

TEST_CASE("completions come before starts at the same moment") {
  // d1 is free at 2 with the short node ready; at the same moment a ends on d0 and its empty
  // tensor makes the long node ready, which is first by priority (rank 9 against 1).
  // So d1: p 0-2, long 2-11, short 11-12. Started too early, short would run 2-3.
  Sketch sketch("moment", 2);
  const NodeId a = sketch.node("a", {2, 2}), p = sketch.node("p", {2, 2});
  const NodeId brief = sketch.node("short", {1, 1}), lengthy = sketch.node("long", {9, 9});
  sketch.tensor(a, 0, {lengthy});
  sketch.tensor(p, 0, {brief});
  const Schedule schedule = record(sketch.build(), placed({0, 1, 1, 1}));
  check_run(schedule, lengthy, 2, 11);
  check_run(schedule, brief, 11, 12);
}

TEST_CASE("an arrival counts before a start at the same moment") {
  // a's 1 byte arrives on d1 at 3, when p ends there; long goes first.
  Sketch sketch("arrival", 2);
  const NodeId a = sketch.node("a", {2, 2}), p = sketch.node("p", {3, 3});
  const NodeId brief = sketch.node("short", {1, 1}), lengthy = sketch.node("long", {9, 9});
  sketch.transfers =
      TransferTimes::per_tensor(IdVector<TensorId, Duration>{Duration{1}, Duration{0}});
  sketch.tensor(a, 1, {lengthy});
  sketch.tensor(p, 0, {brief});
  const Schedule schedule = record(sketch.build(), placed({0, 1, 1, 1}));
  check_run(schedule, lengthy, 3, 12);
  check_run(schedule, brief, 12, 13);
}

TEST_CASE("a device does not wait for a better node that is not ready") {
  // At 0 only short is ready on d1; long arrives at 2 and runs after it, 1-? no: 2-11.
  // short 0-1, idle, long 2-11.
  Sketch sketch("greedy", 2);
  const NodeId a = sketch.node("a", {2, 2}), brief = sketch.node("short", {5, 5});
  const NodeId lengthy = sketch.node("long", {9, 9});
  sketch.tensor(a, 0, {lengthy});
  const Schedule schedule = record(sketch.build(), placed({0, 1, 1}));
  check_run(schedule, brief, 0, 5);
  check_run(schedule, lengthy, 5, 14);
}

TEST_CASE("an order is kept strictly, even when that means waiting") {
  // The same with the order a, long, short: long 2-11, short 11-16.
  Sketch sketch("strict", 2);
  const NodeId a = sketch.node("a", {2, 2}), brief = sketch.node("short", {5, 5});
  const NodeId lengthy = sketch.node("long", {9, 9});
  sketch.tensor(a, 0, {lengthy});
  const Problem problem = sketch.build();
  const Placement placement = placed({0, 1, 1}, {a, lengthy, brief});
  const Schedule schedule = record(problem, placement);
  check_run(schedule, lengthy, 2, 11);
  check_run(schedule, brief, 11, 16);
  CHECK(makespan(problem, placement).count() == doctest::Approx(16));
  CHECK(makespan(problem, placed({0, 1, 1}, {a, brief, lengthy})).count() == doctest::Approx(14));
}

TEST_CASE("a node without time on a lower device ends before a higher device starts") {
  // At 0: d0 starts z, which ends at 0 and sends nothing to d1: long is ready there before d1
  // chooses. d1: long 0-9, short 9-14.
  Sketch sketch("zero", 2);
  const NodeId z = sketch.node("z", {0, 0}), brief = sketch.node("short", {5, 5});
  const NodeId lengthy = sketch.node("long", {9, 9});
  sketch.tensor(z, 0, {lengthy});
  const Problem problem = sketch.build();
  const Schedule lower = record(problem, placed({0, 1, 1}));
  check_run(lower, lengthy, 0, 9);
  check_run(lower, brief, 9, 14);
  // With z on d1 the lower device d0 has already started short: long follows, 5-14.
  const Schedule higher = record(problem, placed({1, 0, 0}));
  check_run(higher, brief, 0, 5);
  check_run(higher, lengthy, 5, 14);
}

TEST_CASE("work and traffic scale with how often a node runs") {
  // a runs half a time: 0-1; its 4 bytes then cost 2: 1-3; b runs three times: 3-9.
  Sketch sketch("frequency", 2);
  const NodeId a = sketch.node("a", {2, 2}), b = sketch.node("b", {2, 2});
  sketch.tensor(a, 4, {b});
  sketch.at(a).frequency = 0.5;
  sketch.at(b).frequency = 3;
  CHECK(makespan(sketch.build(), placed({0, 1})).count() == doctest::Approx(9));
  CHECK(makespan(sketch.build(), placed({1, 1})).count() == doctest::Approx(7));
}

TEST_CASE("one simulator serves many placements, one after another") {
  Sketch sketch("reuse", 2);
  const NodeId a = sketch.node("a", {2, 3}), b = sketch.node("b", {4, 1});
  sketch.tensor(a, 1, {b});
  const Problem problem = sketch.build();
  ConcurrentSimulator simulator(problem);
  for (int round = 0; round < 3; ++round) {
    CHECK(simulator.run(placed({0, 0}).device_of.items()).count() == doctest::Approx(6));
    CHECK(simulator.run(placed({0, 1}).device_of.items()).count() == doctest::Approx(4));
    CHECK(simulator.run(placed({1, 0}).device_of.items()).count() == doctest::Approx(8));
  }
}
