#include "berth/sim/replicas.h"

#include <doctest/doctest.h>

#include "berth/sim/evaluate.h"
#include "tests/support/sketch.h"

using namespace berth;

namespace {

// a (4) -> b (6) on a CPU and three accelerators; the tensor between takes 1. 12 bytes of weights
// in b. b is backward work when the problem trains.
Problem two_stages(bool training, TrainingSchedule schedule) {
  Sketch sketch("two stages", 4, 1);
  const NodeId a = sketch.node("a", {40, 4, 4, 4}), b = sketch.node("b", {60, 6, 6, 6});
  sketch.tensor(a, 1, {b});
  sketch.at(b).weights = Bytes{12};
  if (training) sketch.at(b).pass = Pass::kBackward;
  sketch.set_memory(3, 10);
  sketch.model = MaxLoad{.route = Route::kHost,
                         .training = schedule,
                         .sync_bytes_per_second = 4e6};  // 4 bytes per microsecond
  return sketch.build();
}

Placement replicated(std::vector<int> devices, std::vector<Replica> replicas) {
  Placement placement = placed(std::move(devices));
  placement.replicas = std::move(replicas);
  return placement;
}

}  // namespace

TEST_CASE("two devices that take samples in turn are busy half as long, and agree on weights") {
  // Alone: a has 4 + 1, b has 6 + 1. Two share b: 3.5 each, so a is the busiest.
  const Problem inference = two_stages(false, TrainingSchedule::k1F1B);
  const Placement shared = replicated({1, 2}, {{DeviceId{3}, DeviceId{2}}});
  CHECK(simulate(inference, placed({1, 2})).value == Duration{7});
  const Simulation simulation = simulate(inference, shared);
  CHECK(simulation.value == Duration{5});
  CHECK(simulation.load[DeviceId{2}] == Duration{3.5});
  CHECK(simulation.load[DeviceId{3}] == Duration{3.5});
  CHECK(Evaluator(inference)(shared).value == Duration{5});
  // Training: 2 * 1/2 * 12 bytes at 4 per microsecond, 3 more: 6.5 > 5.
  CHECK(simulate(two_stages(true, TrainingSchedule::k1F1B), shared).value == Duration{6.5});
  // GPipe: forward maximum 5, backward 6/2 + 3; b's read belongs to its forward producer, 1/2.
  CHECK(simulate(two_stages(true, TrainingSchedule::kGPipe), shared).value == Duration{11});
}

TEST_CASE("a replica holds all the weights of its stage") {
  // The third accelerator has 10 bytes and b needs 12.
  const Problem problem = two_stages(false, TrainingSchedule::k1F1B);
  const Simulation simulation = simulate(problem, replicated({1, 2}, {{DeviceId{3}, DeviceId{2}}}));
  CHECK(simulation.memory[DeviceId{3}].peak() == Bytes{12});
  REQUIRE(simulation.broken);
  CHECK(*simulation.broken == "device d3 needs 12 bytes at its peak, but has 10");
  CHECK(Evaluator(problem)(replicated({1, 2}, {{DeviceId{3}, DeviceId{2}}})).overflow ==
        doctest::Approx(0.2));
}

TEST_CASE("what is no replica is named") {
  const Problem problem = two_stages(false, TrainingSchedule::k1F1B);
  const auto broken = [&](std::vector<int> devices, std::vector<Replica> replicas) {
    return broken_rule(problem, replicated(std::move(devices), std::move(replicas))).value_or("");
  };
  CHECK(broken({1, 2}, {{DeviceId{2}, DeviceId{1}}}) ==
        "d2 is a replica of d1, but runs 'b' by itself");
  CHECK(broken({1, 1}, {{DeviceId{2}, DeviceId{1}}, {DeviceId{3}, DeviceId{2}}}) ==
        "d3 is a replica of d2, which is one itself");
  CHECK(broken({1, 1}, {{DeviceId{1}, DeviceId{1}}}) ==
        "d1 is a replica of itself or of two devices");
  CHECK(broken({1, 1}, {{DeviceId{9}, DeviceId{1}}}) ==
        "a replica names device 9, but there are 4");
  CHECK(broken_rule(problem.with_model(CallLatency{}),
                    replicated({1, 1}, {{DeviceId{2}, DeviceId{1}}})) ==
        "replicas are for throughput, of calls or of pieces");
}
