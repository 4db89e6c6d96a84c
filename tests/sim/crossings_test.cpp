#include "berth/sim/crossings.h"

#include <doctest/doctest.h>

#include "tests/support/sketch.h"

using namespace berth;

namespace {
// a on d0 makes 10 bytes for b and c, b makes 30 bytes for d; links take 1 us per byte.
struct Fan {
  Sketch sketch{"fan", 3, 1};
  NodeId a = sketch.node("a", {1, 1, 1}), b = sketch.node("b", {1, 1, 1}),
         c = sketch.node("c", {1, 1, 1}), d = sketch.node("d", {1, 1, 1});
  TensorId from_a = sketch.tensor(a, 10, {b, c}), from_b = sketch.tensor(b, 30, {d});
};
}  // namespace

TEST_CASE("a tensor crosses once per receiving device, longest first") {
  const Fan fan;
  const Problem problem = fan.sketch.build();
  const auto found = crossings(problem, placed({0, 1, 1, 2}));
  REQUIRE(found.size() == 2);
  CHECK(found[0] == Crossing{fan.from_b, DeviceId{1}, DeviceId{2}, Duration{30}, Bytes{30}, 1});
  CHECK(found[1] == Crossing{fan.from_a, DeviceId{0}, DeviceId{1}, Duration{10}, Bytes{10}, 2});
}

TEST_CASE("nothing crosses on one device") {
  CHECK(crossings(Fan().sketch.build(), placed({2, 2, 2, 2})).empty());
}

TEST_CASE("in the call model a crossing is a write to host memory and a read from it") {
  Fan fan;
  fan.sketch.model = MaxLoad{.route = Route::kHost};
  const Problem problem = fan.sketch.build();
  // d0 is the CPU: from d1 to d2 both the write and the read take 30 us; from d0 only the read.
  CHECK(crossing_time(problem, fan.from_b, DeviceId{1}, DeviceId{2}) == Duration{60});
  CHECK(crossing_time(problem, fan.from_a, DeviceId{0}, DeviceId{1}) == Duration{10});
}
