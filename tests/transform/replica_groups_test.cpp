#include "berth/transform/replica_groups.h"

#include <doctest/doctest.h>

#include "berth/sim/evaluate.h"
#include "tests/support/changed_model.h"
#include "tests/support/effort.h"
#include "tests/support/fixtures.h"
#include "tests/support/sketch.h"

using namespace berth;

TEST_CASE("two devices of speeds 3 and 6 work like one of speed 2") {
  Sketch sketch("speeds", 3);
  sketch.node("a", {3, 6, 5});
  sketch.node("b", {3, kNever, 5});
  sketch.set_memory(0, 100);
  sketch.set_memory(1, 40);
  const DeviceGroups groups{{DeviceId{2}}, {DeviceId{0}, DeviceId{1}}};
  const Problem merged = merge_devices(sketch.build(), groups);
  REQUIRE(merged.device_count() == 2);
  CHECK(merged.time(NodeId{0}, DeviceId{0}) == Duration{5});
  CHECK(merged.time(NodeId{0}, DeviceId{1}).count() == doctest::Approx(2));
  CHECK(merged.time(NodeId{1}, DeviceId{1}) == kForever);  // one of them cannot
  CHECK(merged.cluster().device(DeviceId{1}).memory == Bytes{40});
  CHECK_FALSE(merged.cluster().device(DeviceId{0}).memory);
}

TEST_CASE("a pinned node runs on no group with others in it") {
  Sketch sketch("pinned", 2);
  const NodeId a = sketch.node("a", {1, 1});
  sketch.constraints.pin = {{a, DeviceId{0}}};
  CHECK(merge_devices(sketch.build(), {{DeviceId{0}, DeviceId{1}}}).unplaceable() == a);
  CHECK_FALSE(merge_devices(sketch.build(), {{DeviceId{0}}, {DeviceId{1}}}).unplaceable());
}

TEST_CASE("only groups with work have replicas") {
  const DeviceGroups groups{{DeviceId{2}, DeviceId{0}}, {DeviceId{1}, DeviceId{3}}};
  const Placement placement = spread(placed({0, 0}), groups);
  CHECK(placement.device_of.items() == std::vector{DeviceId{2}, DeviceId{2}});
  CHECK(placement.replicas == std::vector<Replica>{{DeviceId{0}, DeviceId{2}}});
}

TEST_CASE("the merged problem never promises more than the replicas hold, and hides no rule") {
  Rng rng(211);
  int spread_count = 0;
  for (int round = 0; round < effort(2000); ++round) {
    CAPTURE(round);
    fixtures::RandomShape shape{.max_nodes = 6, .min_devices = 3, .max_devices = 4};
    shape.execution = fixtures::ExecutionKind::kPieces;
    shape.objective = Objective::kThroughput;
    const Problem problem = changed<InPieces>(fixtures::random_problem(rng, shape),
                                              [](InPieces& pieces) { pieces.contention = 0; });
    const DeviceGroups groups{{DeviceId{0}, DeviceId{1}}, {DeviceId{2}}};
    const Problem merged = merge_devices(problem, groups);
    if (merged.unplaceable()) continue;
    const Placement placement = fixtures::random_placement(rng, merged);
    const Placement shared = spread(placement, groups);
    if (broken_rule(merged, placement)) continue;
    REQUIRE_FALSE(broken_rule(problem, shared));
    ++spread_count;
    REQUIRE(Evaluator(merged)(placement).value <= Evaluator(problem)(shared).value * (1 + 1e-9));
  }
  CHECK(spread_count > effort(2000) / 4);
}
