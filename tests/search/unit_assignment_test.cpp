#include "berth/search/unit_assignment.h"

#include <doctest/doctest.h>

#include "tests/support/sketch.h"

using namespace berth;

TEST_CASE("weights add up, the largest workspace counts once") {
  Sketch sketch("memory", 1);
  for (const auto& [weights, workspace] : {std::pair{4, 3}, std::pair{2, 5}, std::pair{1, 1}}) {
    const NodeId node = sketch.node(std::to_string(weights), {1});
    sketch.at(node).weights = Bytes{weights};
    sketch.at(node).workspace = Bytes{workspace};
  }
  sketch.at(sketch.node("other", {1})).weights = Bytes{1};
  sketch.set_memory(0, 12);
  Problem problem = sketch.build();
  // One device: all units are seated at the start, in order, while they fit: 4+3, 6+5, 7+5 = 12.
  UnitAssignment units(problem);
  CHECK(units.device_of(UnitId{2}) == DeviceId{0});
  CHECK(!units.device_of(UnitId{3}));
  CHECK(units.need(UnitId{2}, DeviceId{0}) == Bytes{12});  // it is there already
  CHECK(units.need(UnitId{3}, DeviceId{0}) == Bytes{13});
  CHECK(!units.may_take(UnitId{3}, DeviceId{0}));
}

TEST_CASE("a unit that has a device may take only that one") {
  Sketch sketch("fixed", 2);
  sketch.node("a", {1, 1});
  UnitAssignment units(sketch.build());
  CHECK(units.may_take(UnitId{0}, DeviceId{0}));
  units.take(UnitId{0}, DeviceId{1});
  CHECK(!units.may_take(UnitId{0}, DeviceId{0}));
  CHECK(units.may_take(UnitId{0}, DeviceId{1}));
}

TEST_CASE("a refusal names the node and each device's reason") {
  Sketch sketch("refusal", 3);
  const NodeId a = sketch.node("a", {1, 1, kNever}), b = sketch.node("b", {1, 1, 1});
  sketch.at(a).weights = Bytes{8};
  sketch.set_memory(0, 5);
  sketch.constraints.apart = {{a, b}};
  UnitAssignment units(sketch.build());
  units.take(UnitId{1}, DeviceId{1});
  CHECK(units.refusal(a) ==
        "no device takes node a: d0 would need 8 bytes and has 5, d1 holds a node it must be apart "
        "from, d2 may not run it");
}
