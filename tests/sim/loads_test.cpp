#include <vector>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "berth/sim/evaluate.h"
#include "berth/sim/load_state.h"
#include "tests/support/fixtures.h"
#include "tests/support/naive_simulator.h"
#include "tests/support/sketch.h"
#include "tests/support/with_servers.h"

using namespace berth;

namespace {

double objective(const Problem& problem, const Placement& placement) {
  const double value = LoadEvaluator(problem).run(placement.device_of.items());
  CHECK(simulate(problem, placement).value.count() == doctest::Approx(value));
  return value;
}

// a (1) -> b (4) -> c (1), 3 bytes and 2 bytes at 1 us each; a and c on d0, b on d1.
Sketch there_and_back() {
  Sketch sketch("there and back", 2);
  const NodeId a = sketch.node("a", {1, 1}), b = sketch.node("b", {4, 4});
  const NodeId c = sketch.node("c", {1, 1});
  sketch.tensor(a, 3, {b});
  sketch.tensor(b, 2, {c});
  return sketch;
}

// Forward f0 (4), f1 (2); backward g1 (6), g0 (3); mates share a device. Tensors: f0 1 byte to f1,
// g1 2 bytes to g0.
Sketch two_stages() {
  Sketch sketch("two stages", 2);
  const NodeId f0 = sketch.node("f0", {4, 4}), f1 = sketch.node("f1", {2, 2});
  const NodeId g1 = sketch.node("g1", {6, 6}), g0 = sketch.node("g0", {3, 3});
  for (const NodeId node : {g1, g0}) sketch.at(node).pass = Pass::kBackward;
  sketch.tensor(f0, 1, {f1});
  sketch.tensor(f1, 9, {g1});
  sketch.tensor(g1, 2, {g0});
  return sketch;
}

}  // namespace

TEST_CASE("overlap decides how compute and transfers share a device's time") {
  // d0: compute 2, out 3, in 2.  d1: compute 4, in 3, out 2.  Wires: 3 and 2.
  Sketch sketch = there_and_back();
  const Placement placement = placed({0, 1, 0});
  const auto with = [&](Overlap overlap) {
    sketch.model = MaxLoad{.overlap = overlap};
    return objective(sketch.build(), placement);
  };
  CHECK(with(Overlap::kSum) == doctest::Approx(9));     // d1: 4 + 3 + 2
  CHECK(with(Overlap::kMax) == doctest::Approx(5));     // d0: max(2, 5)
  CHECK(with(Overlap::kDuplex) == doctest::Approx(4));  // d1: max(4, 3, 2)
  sketch.cluster.set_shared_bus("bus");
  CHECK(with(Overlap::kDuplex) == doctest::Approx(5));  // the bus: 3 + 2
  sketch.cluster.set_uncontended();
  CHECK(with(Overlap::kDuplex) == doctest::Approx(4));
}

TEST_CASE("a pipeline sends a tensor once per receiving device, and the sender pays each time") {
  // 2 bytes from d0 to d1 (two users) and d2: out(d0) = 4, in(d1) = in(d2) = 2.
  Sketch sketch("fan-out", 3);
  const NodeId s = sketch.node("s", {1, 1, 1});
  std::vector<NodeId> users;
  for (int i = 0; i < 3; ++i) users.push_back(sketch.node(fmt::format("u{}", i), {1, 1, 1}));
  sketch.tensor(s, 2, users);
  sketch.model = MaxLoad{};
  CHECK(objective(sketch.build(), placed({0, 1, 1, 2})) == doctest::Approx(5));  // d0: 1 + 4
}

TEST_CASE("in the call model the sender writes once, however many devices read") {
  // d0 is the CPU. s on d1: compute 1, write 2. d2: two users 2, read 2. d3: user 1, read 2.
  Sketch sketch("fan-out", 4, 1);
  const NodeId s = sketch.node("s", {1, 1, 1, 1});
  std::vector<NodeId> users;
  for (int i = 0; i < 3; ++i) users.push_back(sketch.node(fmt::format("u{}", i), {1, 1, 1, 1}));
  sketch.tensor(s, 2, users);
  sketch.model = MaxLoad{.route = Route::kHost};
  const Problem problem = sketch.build();
  CHECK(objective(problem, placed({1, 2, 2, 3})) == doctest::Approx(4));  // d2: 2 + 2
  LoadEvaluator evaluator(problem);
  evaluator.run(placed({1, 2, 2, 3}).device_of.items());
  CHECK(evaluator.loads().half[0].out[1] == doctest::Approx(2));
  CHECK(evaluator.loads().half[0].in[2] == doctest::Approx(2));
  CHECK(evaluator.loads().half[0].in[3] == doctest::Approx(2));
  // To and from the CPU the accelerator pays, the CPU does not: s on the CPU, users on d1.
  CHECK(objective(problem, placed({0, 1, 1, 1})) == doctest::Approx(5));  // 3 + 2
  CHECK(objective(problem, placed({1, 0, 0, 0})) == doctest::Approx(3));  // 1 + 2
  CHECK(objective(problem, placed({0, 0, 0, 0})) == doctest::Approx(4));
}

TEST_CASE("1F1B adds both passes of a device, GPipe takes the busiest of each pass") {
  // Stage 0 on d0, stage 1 on d1; per pass:
  //   d0 forward 4 + out 1 = 5, backward 3 + in 2 = 5;  d1 forward 2 + in 1 = 3, backward 6 + out 2
  //   = 8.
  // 1F1B: max(10, 11) = 11.  GPipe: 5 + 8 = 13.
  Sketch sketch = two_stages();
  const Placement placement = placed({0, 1, 1, 0});
  sketch.model = MaxLoad{};
  CHECK(objective(sketch.build(), placement) == doctest::Approx(11));
  sketch.model = MaxLoad{.training = TrainingSchedule::kGPipe};
  CHECK(objective(sketch.build(), placement) == doctest::Approx(13));
}

TEST_CASE("a transfer counts where its producer belongs") {
  // f1 on d0 sends its 9 bytes to g1 on d1: forward traffic, though a backward node reads it.
  //   d0 forward 4 + 2 + out 9 = 15, backward 0;  d1 forward in 9 = 9, backward 6 + 3 = 9.
  // GPipe: 15 + 9 = 24.
  Sketch sketch = two_stages();
  sketch.model = MaxLoad{.training = TrainingSchedule::kGPipe};
  CHECK(objective(sketch.build(), placed({0, 0, 1, 1})) == doctest::Approx(24));
}

TEST_CASE("without backward nodes GPipe and 1F1B agree") {
  Sketch sketch = there_and_back();
  sketch.model = MaxLoad{};
  const double period = objective(sketch.build(), placed({0, 1, 0}));
  sketch.model = MaxLoad{.training = TrainingSchedule::kGPipe};
  CHECK(objective(sketch.build(), placed({0, 1, 0})) == doctest::Approx(period));
}

TEST_CASE("frequency scales compute by the node and traffic by the producer") {
  // a runs twice: compute 2, its 3 bytes count 6. d0 = 2 + 1 + 6 + 2 = 11, d1 = 4 + 6 + 2 = 12.
  Sketch sketch = there_and_back();
  sketch.at(NodeId{0}).frequency = 2;
  sketch.model = MaxLoad{};
  CHECK(objective(sketch.build(), placed({0, 1, 0})) == doctest::Approx(12));
}

TEST_CASE("a server pays for a tensor once, however many of its devices or other servers use it") {
  // a on d0 (server s), consumers on d1 (s), d2 and d3 (server t) and d4 (server u); 6 bytes at
  // half a microsecond each on the network. s sends 3 once; t and u receive 3 each.
  Sketch sketch("fan", 5, 5);
  const NodeId a = sketch.node("a", {1, 1, 1, 1, 1});
  std::vector<NodeId> consumers;
  for (int i = 0; i < 4; ++i)
    consumers.push_back(sketch.node(fmt::format("b{}", i), {1, 1, 1, 1, 1}));
  sketch.tensor(a, 6, consumers);
  sketch.model = MaxLoad{.route = Route::kHost};
  const char* const servers[] = {"s", "s", "t", "t", "u"};
  for (std::size_t d = 0; d < 5; ++d) {
    Device device = sketch.cluster.device(static_cast<DeviceId>(d));
    device.server = servers[d];
    sketch.cluster.set_device(static_cast<DeviceId>(d), device);
  }
  sketch.cluster.set_network(Duration{0}, 2e6);
  const Problem problem = sketch.build();
  const Simulation simulation = simulate(problem, placed({0, 1, 2, 3, 4}));
  CHECK(simulation.network == std::vector<Duration>{Duration{3}, Duration{3}, Duration{3}});
  CHECK(simulation.value == Duration{3});
  // All in one server: nothing but the two nodes of d1.
  CHECK(simulate(problem, placed({0, 1, 1, 0, 0})).value == Duration{3});
  CHECK(simulate(problem, placed({0, 1, 1, 0, 0})).network[0] == Duration{0});
}

TEST_CASE("random problems: a LoadState after any moves equals a fresh evaluation") {
  Rng rng(31);
  for (int round = 0; round < 400; ++round) {
    fixtures::RandomShape shape{.max_nodes = 10, .max_devices = 4};
    shape.execution =
        rng.below(2) == 0 ? fixtures::ExecutionKind::kPipeline : fixtures::ExecutionKind::kCall;
    shape.objective = Objective::kThroughput;
    Problem problem = fixtures::random_problem(rng, shape);
    if (round % 2 == 0) problem = with_servers(problem, rng);
    IdVector<UnitId, DeviceId> device_of =
        to_units(problem, fixtures::random_placement(rng, problem));
    LoadState state(problem, device_of);
    LoadEvaluator evaluator(problem);
    for (int step = 0; step < 25; ++step) {
      const UnitId unit = static_cast<UnitId>(rng.below(problem.unit_count()));
      const DeviceId device = static_cast<DeviceId>(rng.below(problem.device_count()));
      if (!problem.unit_allows(unit, device)) continue;
      device_of[unit] = device;
      state.move(unit, device);
      REQUIRE(state.device_of(unit) == device);
      const Placement placement = from_units(problem, device_of);
      const double fresh = evaluator.run(placement.device_of.items());
      REQUIRE(state.value() == doctest::Approx(fresh).epsilon(1e-9));
      REQUIRE(naive::load_value(problem, placement.device_of.items()) ==
              doctest::Approx(fresh).epsilon(1e-9));
      const LoadState again(problem, device_of);
      for (const DeviceId d : problem.devices())
        REQUIRE(state.load(d) == doctest::Approx(again.load(d)).epsilon(1e-9));
    }
  }
}
