#include "berth/search/bounds.h"

#include <doctest/doctest.h>

#include "tests/support/sketch.h"

using namespace berth;

// That no bound lies above the optimum is tested in oracle_test.cpp; here, that they are not lazy.

namespace {

Sketch equal_nodes(std::size_t nodes, std::size_t devices) {
  Sketch sketch("equal", devices);
  for (std::size_t i = 0; i < nodes; ++i) sketch.node("", std::vector<double>(devices, 1));
  return sketch;
}

}  // namespace

TEST_CASE("work of equal independent nodes spreads over equal devices") {
  // 12 us of work on 3 devices: 4. The ascent is iterative: within a percent.
  const LowerBound bound = lower_bound(equal_nodes(12, 3).build());
  CHECK(bound.value.count() == doctest::Approx(4).epsilon(0.01));
  CHECK(bound.value.count() <= 4 * (1 + 1e-9));
}

TEST_CASE("work weighs devices by their speed") {
  // Each of 9 nodes takes 1 us on d0 and 2 us on d1; per microsecond the two do 1 + 1/2 nodes:
  // T = 9 / 1.5 = 6.
  Sketch sketch("speeds", 2);
  for (int i = 0; i < 9; ++i) sketch.node("", {1, 2});
  CHECK(lower_bound(sketch.build()).value.count() == doctest::Approx(6).epsilon(0.01));
}

TEST_CASE("the path bound pays for transfers that no choice of devices avoids") {
  // a runs on d0 only, b on d1 only, 10 bytes between them: 2 + 10 + 3.
  Sketch sketch("forced", 2);
  const NodeId a = sketch.node("a", {2, kNever}), b = sketch.node("b", {kNever, 3});
  sketch.tensor(a, 10, {b});
  CHECK(lower_bound(sketch.build()).value.count() == doctest::Approx(15));
}

TEST_CASE("nothing overlaps in sequential execution: times add up") {
  Sketch sketch("sum", 2);
  sketch.node("a", {2, 5});
  sketch.node("b", {7, 3});
  sketch.model = Sequential{};
  CHECK(lower_bound(sketch.build()).value.count() == doctest::Approx(5));
}

TEST_CASE("pinned and forbidden nodes count with the device they may use") {
  Sketch sketch("pinned", 2);
  const NodeId a = sketch.node("a", {2, 9});
  sketch.constraints.pin = {{a, DeviceId{1}}};
  CHECK(lower_bound(sketch.build()).value.count() == doctest::Approx(9));
}
