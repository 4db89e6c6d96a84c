#include "berth/place/baseline/single_device.h"

#include <doctest/doctest.h>

#include "berth/base/error.h"
#include "berth/place/registry.h"
#include "tests/support/sketch.h"

using namespace berth;

namespace {

Outcome single(const Problem& problem, const std::string& device = "") {
  Budget budget;
  Rng rng(1);
  return run_method([&](const Context& context) { single_device(context, {.device = device}); },
                    "single-device", problem, budget, rng);
}

}  // namespace

TEST_CASE("the fastest device that holds everything wins") {
  Sketch sketch("two", 3);
  for (const char* name : {"a", "b"}) sketch.at(sketch.node(name, {1, 3, 2})).weights = Bytes{6};
  sketch.set_memory(0, 10);  // too small for both
  const Problem problem = sketch.build();
  const Outcome outcome = single(problem);
  REQUIRE(outcome.placement);
  CHECK(outcome.placement->device_of == placed({2, 2}).device_of);
  CHECK(outcome.reason.empty());
  CHECK(single(problem, "d1").placement->device_of == placed({1, 1}).device_of);
}

TEST_CASE("no single device: each one's obstacle is named") {
  Sketch sketch("none", 2);
  const NodeId a = sketch.node("a", {1, kNever}), b = sketch.node("b", {1, 1});
  sketch.at(a).weights = sketch.at(b).weights = Bytes{6};
  sketch.set_memory(0, 10);
  const Outcome outcome = single(sketch.build());
  CHECK(!outcome.placement);
  CHECK(outcome.reason ==
        "no single device holds the model: d0 is too small, d1 may not run node a");
}

TEST_CASE("nodes that must be apart leave no single device") {
  Sketch sketch("apart", 2);
  const NodeId a = sketch.node("a", {1, 1}), b = sketch.node("b", {1, 1});
  sketch.constraints.apart = {{a, b}};
  const Outcome outcome = single(sketch.build());
  CHECK(!outcome.placement);
  CHECK(outcome.reason ==
        "no single device holds the model: d0 may not run node a with all others, d1 may not run "
        "node a with all others");
}

TEST_CASE("an unknown device is the user's mistake") {
  Sketch sketch("one", 2);
  sketch.node("a", {1, 1});
  CHECK_THROWS_WITH_AS(single(sketch.build(), "GPU"),
                       "single-device(device=GPU): no such device; the problem has d0, d1", Error);
}
