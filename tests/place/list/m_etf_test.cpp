#include "berth/place/list/m_etf.h"

#include <optional>
#include <span>
#include <tuple>
#include <vector>

#include <doctest/doctest.h>

#include "berth/graph/order.h"
#include "berth/place/list/memory_schedule.h"
#include "berth/place/registry.h"
#include "berth/transform/contract.h"
#include "tests/support/effort.h"
#include "tests/support/fixtures.h"
#include "tests/support/sketch.h"

using namespace berth;

namespace {

Outcome m_etf(const Problem& problem, bool reserve = false) {
  Budget budget;
  Rng rng(1);
  return run_method([&](const Context& context) { m_etf(context, {.reserve = reserve}); }, "m-etf",
                    problem, budget, rng);
}

// All pairs, every time, on the same machine. Empty: stuck.
std::optional<Placement> literal_m_etf(const Problem& problem, bool reserve) {
  const Coarsening units = contract_units(problem);
  const Coarsening groups = contract_sole_consumers(units.problem);
  const Problem& coarse = groups.problem;
  const std::span<const NodeId> order = coarse.graph().topological_order();
  const IdVector<NodeId, std::uint32_t> position =
      positions(std::vector<NodeId>(order.begin(), order.end()));
  MemorySchedule machine(coarse, reserve);
  for (std::size_t step = 0; step < coarse.node_count(); ++step) {
    std::optional<std::tuple<Duration, std::uint32_t, Duration, DeviceId, NodeId>> least;
    for (const NodeId node : coarse.graph().nodes()) {
      if (machine.is_placed(node) || !machine.is_ready(node)) continue;
      for (const DeviceId device : coarse.devices()) {
        if (!machine.fits(node, device)) continue;
        const Duration start = machine.est(node, device);
        const std::tuple pair{start, position[node], start + coarse.time(node, device), device,
                              node};
        if (!least || pair < *least) least = pair;
      }
    }
    if (!least) return std::nullopt;
    machine.run(std::get<NodeId>(*least), std::get<DeviceId>(*least));
  }
  return expand(units, expand(groups, machine.placement()));
}

}  // namespace

TEST_CASE("the heaps of m-etf choose what looking at all pairs chooses") {
  Rng rng(23);
  int placed = 0;
  for (int round = 0; round < effort(1500); ++round) {
    CAPTURE(round);
    const Problem problem =
        fixtures::random_problem(rng, {.min_nodes = 2, .max_nodes = 16, .max_devices = 4});
    for (const bool reserve : {false, true}) {
      const Outcome outcome = m_etf(problem, reserve);
      CHECK(outcome.placement == literal_m_etf(problem, reserve));
      CHECK(outcome.placement.has_value() == outcome.reason.empty());
      placed += outcome.placement.has_value() ? 1 : 0;
    }
  }
  CHECK(placed > effort(1500));  // most problems can be placed, so the comparison says something
}

TEST_CASE("a sole consumer's producer comes along, and a fork spreads over idle devices") {
  // a feeds b and c with nothing to send; b and c take 5 each and run side by side.
  Sketch sketch("fork", 2);
  const NodeId a = sketch.node("a", {1, 1}), b = sketch.node("b", {5, 5}),
               c = sketch.node("c", {5, 5});
  const NodeId tail = sketch.node("tail", {1, 1});
  sketch.tensor(a, 0, {b, c});
  sketch.tensor(b, 0, {tail});
  const Outcome outcome = m_etf(sketch.build());
  REQUIRE(outcome.placement);
  CHECK(outcome.placement->device_of == placed({0, 0, 1, 0}).device_of);
}
