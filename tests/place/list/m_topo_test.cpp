#include "berth/place/list/m_topo.h"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "berth/place/registry.h"
#include "tests/support/sketch.h"

using namespace berth;

namespace {

Outcome m_topo(const Problem& problem) {
  Budget budget;
  Rng rng(1);
  return run_method("m-topo", problem, budget, rng);
}

// Four unconnected nodes of 10 bytes each, workspace 2.
Sketch four(std::size_t devices) {
  Sketch sketch("four", devices);
  for (int i = 0; i < 4; ++i) {
    const NodeId node = sketch.node(fmt::format("n{}", i), std::vector<double>(devices, 1.0));
    sketch.at(node).weights = Bytes{10};
    sketch.at(node).workspace = Bytes{2};
  }
  return sketch;
}

}  // namespace

TEST_CASE("devices are filled up to the cap in topological order") {
  // need 12 each; cap = 48 / 2 + 12 = 36. d0 holds 3 * 10 + 2 = 32; a fourth would make 42.
  CHECK(m_topo(four(2).build()).placement->device_of == placed({0, 0, 0, 1}).device_of);
}

TEST_CASE("a memory limit below the cap ends a device earlier") {
  Sketch sketch = four(2);
  sketch.set_memory(0, 22);
  CHECK(m_topo(sketch.build()).placement->device_of == placed({0, 0, 1, 1}).device_of);
  sketch.set_memory(1, 21);
  const Outcome full = m_topo(sketch.build());
  CHECK(!full.placement);
  CHECK(full.reason ==
        "no device takes node n3: d0 would need 32 bytes and has 22, d1 would need 22 bytes and "
        "has 21");
}

TEST_CASE("nodes with a sole consumer stay with it") {
  // n0 -> n1 -> n2 are one group of 30 + 2, n3 one of 12: cap = 44 / 2 + 32 = 54. All on d0.
  Sketch sketch = four(2);
  sketch.tensor(NodeId{0}, 1, {NodeId{1}});
  sketch.tensor(NodeId{1}, 1, {NodeId{2}});
  CHECK(m_topo(sketch.build()).placement->device_of == placed({0, 0, 0, 0}).device_of);
  // The group is larger than d0: it goes to d1, although n0 and n1 alone would fit on d0.
  sketch.set_memory(0, 31);
  CHECK(m_topo(sketch.build()).placement->device_of == placed({1, 1, 1, 1}).device_of);
}

TEST_CASE("a pin is kept and does not move the walk on") {
  Sketch sketch = four(2);
  sketch.constraints.pin = {{NodeId{0}, DeviceId{1}}};
  CHECK(m_topo(sketch.build()).placement->device_of == placed({1, 0, 0, 0}).device_of);
}
