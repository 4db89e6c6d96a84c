#include "berth/place/baseline/hetero_default.h"

#include <doctest/doctest.h>

#include "berth/base/error.h"
#include "berth/place/registry.h"
#include "tests/support/sketch.h"

using namespace berth;

namespace {

Outcome hetero(const Problem& problem, const std::string& order = "") {
  Budget budget;
  Rng rng(1);
  return run_method([&](const Context& context) { hetero_default(context, {.order = order}); },
                    "hetero-default", problem, budget, rng);
}

// d0 is a CPU that runs everything; d1 and d2 are accelerators. b runs on the CPU only.
Sketch sketch() {
  Sketch result("hetero", 3, 1);
  result.node("a", {100, 1, 1});
  result.node("b", {100, kNever, kNever});
  result.node("c", {1, 100, 1});
  return result;
}

}  // namespace

TEST_CASE("each node goes to the first listed device that supports it, however slow") {
  const Problem problem = sketch().build();
  CHECK(hetero(problem).placement->device_of == placed({1, 0, 1}).device_of);
  CHECK(hetero(problem, "d2.d0").placement->device_of == placed({2, 0, 2}).device_of);
  CHECK(hetero(problem, "CPU.accelerator").placement->device_of == placed({0, 0, 0}).device_of);
}

TEST_CASE("a node that no listed device supports has no place, unless it has no choice") {
  // b runs only on d0, which is not listed: it goes there all the same.
  CHECK(hetero(sketch().build(), "d1.d2").placement->device_of == placed({1, 0, 1}).device_of);
  Sketch two("two", 3);
  two.node("a", {1, 1, kNever});
  const Outcome none = hetero(two.build(), "d2");
  CHECK(!none.placement);
  CHECK(none.reason == "none of the devices d2 takes node a");
}

TEST_CASE("a full device passes the rest on to the next one") {
  Sketch full("full", 2);
  for (const char* name : {"a", "b"}) full.at(full.node(name, {1, 1})).weights = Bytes{6};
  full.set_memory(0, 10);
  CHECK(hetero(full.build()).placement->device_of == placed({0, 1}).device_of);
}

TEST_CASE("a word that is neither a device nor a kind is the user's mistake") {
  CHECK_THROWS_WITH_AS(hetero(sketch().build(), "d0.TPU"),
                       "hetero-default(order=d0.TPU): no device is named TPU or of that kind",
                       Error);
}
