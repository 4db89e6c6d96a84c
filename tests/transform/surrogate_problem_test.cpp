#include "berth/transform/surrogate_problem.h"

#include <doctest/doctest.h>

#include "tests/support/sketch.h"

using namespace berth;

TEST_CASE("a crossing is priced as if it began a piece and converted its image on both sides") {
  Sketch sketch("two", 2, 2);
  const NodeId a = sketch.node("a", {5, 5}), b = sketch.node("b", {5, 5});
  const TensorId image = sketch.tensor(a, 1000, {b}), plain = sketch.tensor(a, 1000, {b});
  sketch.make_image(image);
  sketch.set_links(7, 1e-3);
  for (const DeviceId id : sketch.cluster.devices()) {
    Device device = sketch.cluster.device(id);
    device.piece_overhead = Duration{id == DeviceId{0} ? 10.0 : 20.0};
    device.border_bytes_per_second = id == DeviceId{0} ? 100e6 : 50e6;
    sketch.cluster.set_device(id, device);
  }
  sketch.model = InPieces{.objective = Objective::kThroughput};
  const Problem surrogate = surrogate_problem(sketch.build());
  CHECK(surrogate.model() == MaxLoad{.route = Route::kLinks});
  // 7 + 1000 * 1e-3, the receiver's 20, and 1000 bytes at 0.01 + 0.02 us each.
  CHECK(surrogate.transfer(image, DeviceId{0}, DeviceId{1}).count() ==
        doctest::Approx(8 + 20 + 30));
  CHECK(surrogate.transfer(plain, DeviceId{1}, DeviceId{0}).count() == doctest::Approx(8 + 10));
  sketch.model = InPieces{.objective = Objective::kLatency};
  CHECK(surrogate_problem(sketch.build()).model() == Concurrent{});
  sketch.model = {};
  CHECK(surrogate_problem(sketch.build()).transfer(image, DeviceId{0}, DeviceId{1}).count() ==
        doctest::Approx(8));
}
