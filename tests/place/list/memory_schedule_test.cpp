#include "berth/place/list/memory_schedule.h"

#include <vector>

#include <doctest/doctest.h>

#include "tests/support/sketch.h"

using namespace berth;

TEST_CASE("a device's channel carries one tensor at a time, and each tensor once") {
  // a makes t0 (4 bytes, for b and e) and t1 (6 bytes, for c); one microsecond per byte.
  Sketch sketch("channel", 3);
  const NodeId a = sketch.node("a", {1, 1, 1}), b = sketch.node("b", {1, 1, 1});
  const NodeId c = sketch.node("c", {1, 1, 1}), e = sketch.node("e", {1, 1, 1});
  sketch.tensor(a, 4, {b, e});
  sketch.tensor(a, 6, {c});
  MemorySchedule machine(sketch.build(), false);
  const DeviceId d0{0}, d1{1}, d2{2};
  CHECK(machine.is_ready(a));
  CHECK(!machine.is_ready(b));
  CHECK(machine.run(a, d0).ready == std::vector<NodeId>{b, c, e});

  CHECK(machine.est(b, d1) == Duration{1 + 4});
  CHECK(machine.est(c, d2) == Duration{1 + 6});
  CHECK(machine.run(b, d1).received == std::vector<TensorId>{TensorId{0}});
  // d0's channel is busy until 5, so c's tensor leaves then, to whatever device.
  CHECK(machine.est(c, d2) == Duration{5 + 6});
  CHECK(machine.est(c, d1) == Duration{5 + 6});
  CHECK(machine.est(c, d0) == Duration{1});
  // t0 is on d1 already, where b runs from 5 to 6; a second copy to d2 has to wait for the channel.
  CHECK(machine.ready(e, d1) == Duration{5});
  CHECK(machine.est(e, d1) == Duration{6});
  CHECK(machine.ready(e, d2) == Duration{5 + 4});
}

TEST_CASE("a receiver's channel is serial too") {
  // a on d0 and b on d1 both end at 1 and feed c on d2 with 4 and 6 bytes: 1..5, then 5..11.
  Sketch sketch("receiver", 3);
  const NodeId a = sketch.node("a", {1, 1, 1}), b = sketch.node("b", {1, 1, 1});
  const NodeId c = sketch.node("c", {1, 1, 1});
  sketch.tensor(a, 4, {c});
  sketch.tensor(b, 6, {c});
  MemorySchedule machine(sketch.build(), false);
  machine.run(a, DeviceId{0});
  machine.run(b, DeviceId{1});
  CHECK(machine.est(c, DeviceId{2}) == Duration{11});
  CHECK(machine.est(c, DeviceId{0}) == Duration{1 + 6});
}

TEST_CASE("outputs take room until the last consumer is placed") {
  // Device of 10: a's output of 6 stays until b and c have run; then e's 7 fit.
  Sketch sketch("outputs", 1);
  const NodeId a = sketch.node("a", {1}), b = sketch.node("b", {1}), c = sketch.node("c", {1});
  const NodeId e = sketch.node("e", {1});
  sketch.tensor(a, 6, {b, c});
  sketch.tensor(e, 7, {});
  sketch.at(b).weights = Bytes{1};
  sketch.at(c).workspace = Bytes{2};
  sketch.set_memory(0, 10);
  MemorySchedule machine(sketch.build(), false);
  const DeviceId d{0};
  CHECK(machine.fits(e, d));
  machine.run(a, d);
  CHECK(!machine.fits(e, d));
  CHECK(machine.refusal(e) ==
        "no device has room for the outputs of node e: d0 would need 16 bytes and has 10");
  CHECK(machine.run(b, d).relieved.empty());
  CHECK(machine.run(c, d).relieved == std::vector<DeviceId>{d});
  CHECK(machine.fits(e, d));  // 1 + 2 + 7
}

TEST_CASE("with reserve the first node of a unit needs room for the unit's largest output") {
  Sketch sketch("reserve", 1);
  const NodeId a = sketch.node("a", {1}), b = sketch.node("b", {1});
  sketch.tensor(a, 2, {});
  sketch.tensor(b, 8, {});
  sketch.at(a).weights = Bytes{4};
  sketch.constraints.together = {{a, b}};
  sketch.set_memory(0, 10);
  // The unit sits on its only device from the start, so reserve asks nothing more there.
  CHECK(MemorySchedule(sketch.build(), true).fits(a, DeviceId{0}));
  Sketch two("reserve", 2);
  const NodeId c = two.node("c", {1, 1}), e = two.node("e", {1, 1});
  two.tensor(c, 2, {});
  two.tensor(e, 8, {});
  two.at(c).weights = Bytes{4};
  two.constraints.together = {{c, e}};
  two.set_memory(0, 10);
  CHECK(MemorySchedule(two.build(), false).fits(c, DeviceId{0}));
  CHECK(!MemorySchedule(two.build(), true).fits(c, DeviceId{0}));  // 4 + 8 > 10
}
