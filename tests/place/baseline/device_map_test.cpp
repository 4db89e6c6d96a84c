#include "berth/place/baseline/device_map.h"

#include <vector>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "berth/place/registry.h"
#include "tests/support/sketch.h"

using namespace berth;

namespace {

Outcome device_map(const Problem& problem, bool balanced) {
  Budget budget;
  Rng rng(1);
  return run_method([&](const Context& context) { device_map(context, {.balanced = balanced}); },
                    "device-map", problem, budget, rng);
}

// A chain of modules on d0 (CPU) and two accelerators d1 and d2.
Sketch chain(const std::vector<std::int64_t>& sizes) {
  Sketch sketch("chain", 3, 1);
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    const NodeId node = sketch.node(fmt::format("m{}", i), {1, 1, 1});
    sketch.at(node).weights = Bytes{sizes[i]};
    if (i > 0) sketch.tensor(static_cast<NodeId>(i - 1), 1, {node});
  }
  return sketch;
}

}  // namespace

TEST_CASE(
    "modules fill the accelerators in order, then the CPU, keeping room for the largest to come") {
  // d1 keeps free the largest module after the current one.
  //   m0: 0 + 4 <= 13 - 4;  m1: 4 + 4 <= 13 - 3;  m2: 8 + 3 <= 13 - 3 fails, so d1 is left.
  //   d2 keeps nothing free: m2, m3 (6 <= 7), then m4 does not fit (9 > 7): the CPU.
  Sketch sketch = chain({4, 4, 3, 3, 3});
  sketch.set_memory(1, 13);
  sketch.set_memory(2, 7);
  CHECK(device_map(sketch.build(), false).placement->device_of ==
        placed({1, 1, 2, 2, 0}).device_of);
}

TEST_CASE("a device once left is not used again, and then nothing may be left") {
  // m1 passes d1 by, m2 would fit there; the CPU keeps nothing for later modules but has no room.
  Sketch sketch = chain({2, 9, 2});
  sketch.set_memory(0, 1);
  sketch.set_memory(1, 11);
  sketch.set_memory(2, 9);
  const Outcome outcome = device_map(sketch.build(), false);
  CHECK(!outcome.placement);
  CHECK(outcome.reason ==
        "no device is left for node m2 and its 2 bytes of weights; a device once left is not used "
        "again");
}

TEST_CASE("the reserve starves the first device of a three-module model (accelerate#1888)") {
  // Linear layers 10x100, 100x5 and 5x1000 in float32: 4400, 2020 and 24000 bytes.
  // balanced limit of d1 = 30420 / 2 + 1.25 * 10140 = 27885; m0 needs 4400 + 24000 kept free.
  const Problem problem = chain({4400, 2020, 24000}).build();
  CHECK(device_map(problem, true).placement->device_of == placed({2, 2, 2}).device_of);
  // With a last layer of 5x40, 960 bytes, the limit is 3690 + 3075 = 6765: m0 needs 4400 + 2020,
  // and m1, at 6420 + 960, does not fit any more.
  CHECK(device_map(chain({4400, 2020, 960}).build(), true).placement->device_of ==
        placed({1, 2, 2}).device_of);
}

TEST_CASE("a first device smaller than the largest module to come gets nothing (accelerate#3041)") {
  Sketch sketch = chain({1, 1, 1, 50});
  sketch.set_memory(1, 40);  // would hold the three small ones many times
  CHECK(device_map(sketch.build(), false).placement->device_of == placed({2, 2, 2, 2}).device_of);
}

TEST_CASE("a lone scalar parameter gets a device like everything else (accelerate#4014)") {
  Sketch sketch = chain({100, 100, 100, 100});
  const NodeId scalar = sketch.node("layer_scalar", {1, 1, 1});
  sketch.at(scalar).weights = Bytes{2};
  sketch.tensor(scalar, 2, {NodeId{2}});
  sketch.set_memory(1, 250);
  sketch.set_memory(2, 250);
  const Outcome outcome = device_map(sketch.build(), true);
  REQUIRE(outcome.placement);
  // balanced limit 402 / 2 + 1.25 * 80 = 301, cut to the memory of 250. In topological order m0,
  // m1, the scalar, m2, m3: 100 + 100 kept free fit, then d1 is left; d2 holds 100 + 2 + 100; the
  // CPU m3.
  CHECK(outcome.placement->device_of == placed({1, 2, 2, 0, 2}).device_of);
}

TEST_CASE("one accelerator is filled to nine tenths when balanced") {
  Sketch sketch("one", 2, 1);
  for (const char* name : {"a", "b"}) sketch.at(sketch.node(name, {1, 1})).weights = Bytes{5};
  sketch.set_memory(1, 10);
  CHECK(device_map(sketch.build(), false).placement->device_of == placed({1, 1}).device_of);
  CHECK(device_map(sketch.build(), true).placement->device_of == placed({0, 0}).device_of);
}

TEST_CASE("a co-location unit is one block and widens the balanced limit") {
  // {m0,m1} is a no-split block of 6: limit 10 / 2 + 1.25 * 6 = 12.
  //   block: 6 + 2 kept free; m2: 8 + 2; m3: 10: all on d1. Without it 5 + 1.25 * 2.5 = 8: two
  //   only.
  Sketch sketch = chain({3, 3, 2, 2});
  CHECK(device_map(sketch.build(), true).placement->device_of == placed({1, 2, 2, 2}).device_of);
  sketch.at(NodeId{0}).group = sketch.at(NodeId{1}).group = 0;
  CHECK(device_map(sketch.build(), true).placement->device_of == placed({1, 1, 1, 1}).device_of);
}

TEST_CASE("constraints are honoured without giving the current device up") {
  Sketch sketch = chain({1, 1, 1});
  sketch.constraints.pin = {{NodeId{0}, DeviceId{0}}};
  sketch.constraints.forbid = {{NodeId{1}, DeviceId{1}}};
  CHECK(device_map(sketch.build(), false).placement->device_of == placed({0, 2, 1}).device_of);
}
