#include "berth/sim/piece_execution.h"

#include <doctest/doctest.h>

#include "berth/sim/evaluate.h"
#include "tests/support/fixtures.h"
#include "tests/support/sketch.h"

using namespace berth;

namespace {

// a -> {b, c} -> d, 200 us on the first device and 300 on the second, images of 1000 bytes between
// them. A piece costs 10 and 20 us more, a byte at the border 0.01 and 0.02, a transfer 7.
Problem diamond(const std::string& type, Objective objective = Objective::kLatency) {
  Sketch sketch("diamond", 2, 2);
  for (const char* name : {"a", "b", "c", "d"})
    sketch.at(sketch.node(name, {200, 300})).op_type = type;
  const auto join = [&](int from, std::vector<NodeId> to) {
    sketch.make_image(sketch.tensor(static_cast<NodeId>(from), 1000, std::move(to)));
  };
  join(0, {NodeId{1}, NodeId{2}});
  join(1, {NodeId{3}});
  join(2, {NodeId{3}});
  join(3, {});
  for (const DeviceId id : sketch.cluster.devices()) {
    Device device = sketch.cluster.device(id);
    device.piece_overhead = Duration{id == DeviceId{0} ? 10.0 : 20.0};
    device.border_bytes_per_second = id == DeviceId{0} ? 100e6 : 50e6;
    sketch.cluster.set_device(id, device);
  }
  for (const DeviceId from : sketch.cluster.devices())
    for (const DeviceId to : sketch.cluster.devices())
      if (from != to) sketch.cluster.set_link_speed(from, to, Duration{7}, 1e30);
  sketch.model = InPieces{.objective = objective};
  return sketch.build();
}

double value(const Problem& problem, std::vector<int> devices, std::vector<NodeId> order = {}) {
  return Evaluator(problem)(placed(std::move(devices), std::move(order))).value.count();
}

}  // namespace

TEST_CASE("latency adds up pieces, borders and transfers by hand") {
  // b on the second device. Pieces a | b | c | d, where d waits for b. With convolutions:
  //   a: 200 + 10 + 0.01*1000         = 220   one tensor out
  //   b: 300 + 20 + 0.02*2000         = 360   one in, one out
  //   c: 200 + 10 + 0.01*2000         = 230
  //   d: 200 + 10 + 0.01*2000         = 230   two in
  // b starts at 220 + 7, ends at 587; c runs meanwhile; d starts at 587 + 7, ends at 824.
  CHECK(value(diamond("Convolution"), {0, 1, 0, 0}) == doctest::Approx(824));
  // Without convolutions nothing is converted: 210 + 7 + 320 + 7 + 210.
  CHECK(value(diamond("MatMul"), {0, 1, 0, 0}) == doctest::Approx(754));
  // A convolution by another name; a Convert is none.
  CHECK(value(diamond("GroupConvolution"), {0, 1, 0, 0}) == doctest::Approx(824));
  CHECK(value(diamond("Convert"), {0, 1, 0, 0}) == doctest::Approx(754));
  // One device, one piece, nothing at its border.
  CHECK(value(diamond("Convolution"), {0, 0, 0, 0}) == doctest::Approx(810));
}

TEST_CASE("the period is the busiest device's pieces") {
  // Subgraphs: a and c, which nothing separates, then b, then d. On the first device
  // (400 + 10) + (200 + 10) = 620, on the second 320.
  const Problem problem = diamond("MatMul", Objective::kThroughput);
  CHECK(value(problem, {0, 1, 0, 0}) == doctest::Approx(620));
  const Simulation story = simulate(problem, placed({0, 1, 0, 0}));
  CHECK(story.load[DeviceId{0}].count() == doctest::Approx(620));
  CHECK(story.load[DeviceId{1}].count() == doctest::Approx(320));
}

TEST_CASE("devices that share the model divide the samples by their speed") {
  // Alone 810 on the first and 1220 on the second: 1 / (1/810 + 1/1220), and no border at all.
  const Problem problem = diamond("Convolution", Objective::kThroughput);
  Placement shared = placed({0, 0, 0, 0});
  shared.replicas = {{DeviceId{1}, DeviceId{0}}};
  const double period = 1 / (1 / 810.0 + 1 / 1220.0);
  CHECK(Evaluator(problem)(shared).value.count() == doctest::Approx(period));
  const Simulation story = simulate(problem, shared);
  CHECK(story.feasible());
  CHECK(story.load[DeviceId{0}].count() == doctest::Approx(period));
  CHECK(story.load[DeviceId{1}].count() == doctest::Approx(period));
  // Each is slowed by a tenth of what the other does.
  const InPieces contended{.objective = Objective::kThroughput, .contention = 0.1};
  CHECK(Evaluator(problem.with_model(contended))(shared).value.count() ==
        doctest::Approx(1.1 * period));
  // For latency there is nothing to share.
  const Simulation one = simulate(diamond("Convolution"), shared);
  CHECK(one.broken == "replicas are for throughput, of calls or of pieces");
}

TEST_CASE("an order decides which of two ready pieces goes first") {
  // a on the second device; b and c on the first, then d on the second waits for the one it uses.
  Sketch sketch("choice", 2, 2);
  const NodeId a = sketch.node("a", {1, 1}), b = sketch.node("b", {10, 10}),
               c = sketch.node("c", {10, 10}), d = sketch.node("d", {50, 50});
  sketch.set_links(0, 1e-9);
  sketch.tensor(a, 1, {b, c});
  sketch.tensor(b, 1, {d});
  sketch.tensor(c, 1, {});
  sketch.model = InPieces{};
  const Problem problem = sketch.build();
  // By rank b goes first: 1 + 10 + 50. In the order a, c, b, d it waits for c: 1 + 10 + 10 + 50.
  CHECK(value(problem, {1, 0, 0, 1}) == doctest::Approx(61));
  CHECK(value(problem, {1, 0, 0, 1}, {a, c, b, d}) == doctest::Approx(71));
}

TEST_CASE("in the schedule a piece begins with its overhead and sends when it is over") {
  const Schedule schedule = simulate(diamond("MatMul"), placed({0, 1, 0, 0})).schedule;
  CHECK(schedule.makespan.count() == doctest::Approx(754));
  REQUIRE(schedule.runs.size() == 4);
  CHECK(schedule.runs[0].start.count() == doctest::Approx(10));
  CHECK(schedule.runs[0].finish.count() == doctest::Approx(210));
  REQUIRE(schedule.moves.size() == 2);
  CHECK(schedule.moves[0].start.count() == doctest::Approx(210));
  CHECK(schedule.moves[0].finish.count() == doctest::Approx(217));
}

TEST_CASE("training does not run in pieces") {
  Sketch sketch("training", 1);
  sketch.at(sketch.node("a'", {1})).pass = Pass::kBackward;
  sketch.model = InPieces{};
  CHECK_THROWS_WITH(sketch.build(),
                    doctest::Contains("defined for inference, but 'a'' is a backward"));
}

TEST_CASE("the order in which pieces start is a topological one that changes nothing") {
  Rng rng(11);
  for (int round = 0; round < 300; ++round) {
    const Problem problem = fixtures::random_problem(
        rng, {.max_nodes = 14, .min_devices = 2, .execution = fixtures::ExecutionKind::kPieces});
    Placement placement = fixtures::random_placement(rng, problem);
    if (broken_rule(problem, placement)) continue;
    const Duration without = Evaluator(problem)(placement).value;
    placement.order = PieceSimulator(problem).start_order(placement.device_of.items());
    CHECK_FALSE(broken_rule(problem, placement));
    CHECK(Evaluator(problem)(placement).value == without);
  }
}
