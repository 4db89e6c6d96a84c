#include "berth/sim/held_weights.h"

#include <set>

#include <doctest/doctest.h>

#include "tests/support/effort.h"
#include "tests/support/fixtures.h"
#include "tests/support/shared_weights.h"

using namespace berth;

namespace {

// The rule of the header, read literally.
std::int64_t held_on(const Problem& problem, const std::vector<DeviceId>& device_of, DeviceId d) {
  const Graph& graph = problem.graph();
  std::int64_t sum = 0;
  for (const NodeId node : graph.nodes())
    if (device_of[index(node)] == d) sum += graph.node(node).weights.count;
  for (const TensorId tensor : graph.tensors()) {
    if (graph.tensor(tensor).role != TensorRole::kWeight) continue;
    std::set<DeviceId> used_on;
    for (const NodeId user : graph.consumers(tensor)) used_on.insert(device_of[index(user)]);
    if (used_on.contains(d) && device_of[index(graph.producer(tensor))] != d)
      sum += graph.tensor(tensor).size.count;
  }
  return sum;
}

}  // namespace

TEST_CASE("weights held by nodes, by units that move, and by the rule itself are the same") {
  Rng rng(91);
  for (int round = 0; round < effort(300); ++round) {
    CAPTURE(round);
    const Problem problem = with_shared_weights(fixtures::random_problem(rng), rng);
    NodeWeights by_nodes(problem.graph(), problem.device_count());
    UnitWeights by_units(problem);
    UnitDevices at(problem.unit_count(), DeviceId{0});
    for (const UnitId unit : problem.units()) by_units.add(unit, DeviceId{0});
    for (int move = 0; move < 10; ++move) {
      const auto unit = static_cast<UnitId>(rng.below(problem.unit_count()));
      const auto device = static_cast<DeviceId>(rng.below(problem.device_count()));
      by_units.remove(unit, at[unit]);
      const Bytes expected = by_units.with(unit, device);
      by_units.add(unit, device);
      REQUIRE(by_units.on(device) == expected);
      at[unit] = device;
      const std::vector<DeviceId> device_of = from_units(problem, at).device_of.items();
      const std::span<const std::int64_t> held = by_nodes.held(device_of);
      for (const DeviceId d : problem.devices()) {
        REQUIRE(held[index(d)] == held_on(problem, device_of, d));
        REQUIRE(by_units.on(d).count == held[index(d)]);
      }
    }
  }
}
