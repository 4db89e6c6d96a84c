#include "berth/place/list/etf.h"

#include <optional>
#include <tuple>
#include <vector>

#include <doctest/doctest.h>

#include "berth/place/list/list_schedule.h"
#include "berth/place/registry.h"
#include "berth/sim/evaluate.h"
#include "berth/transform/ranks.h"
#include "tests/support/effort.h"
#include "tests/support/fixtures.h"
#include "tests/support/sketch.h"

using namespace berth;

namespace {

Outcome etf(const Problem& problem) {
  Budget budget;
  Rng rng(1);
  return run_method("etf", problem, budget, rng);
}

// All pairs, every time.
Placement literal_etf(const Problem& problem) {
  const IdVector<NodeId, Duration> rank = upward_ranks(problem);
  ListSchedule schedule(problem);
  IdVector<DeviceId, Duration> free(problem.device_count());
  IdVector<NodeId, int> placed(problem.node_count(), 0);
  for (std::size_t step = 0; step < problem.node_count(); ++step) {
    std::optional<std::tuple<Duration, Duration, NodeId, Duration, DeviceId>> least;
    for (const NodeId node : problem.graph().nodes()) {
      bool ready = placed[node] == 0;
      for (const NodeId before : problem.graph().predecessors(node))
        ready = ready && placed[before] != 0;
      if (!ready) continue;
      for (const DeviceId device : problem.devices()) {
        if (!problem.allows(node, device)) continue;
        const Duration start = std::max(free[device], schedule.ready(node, device));
        const std::tuple pair{start, -rank[node], node, start + problem.time(node, device), device};
        if (!least || pair < *least) least = pair;
      }
    }
    const NodeId node = std::get<NodeId>(*least);
    const DeviceId device = std::get<DeviceId>(*least);
    schedule.run(node, device, std::get<0>(*least));
    free[device] = schedule.finish(node);
    placed[node] = 1;
  }
  return schedule.placement();
}

}  // namespace

TEST_CASE("ETF starts each node as early as possible, even on a slow device") {
  // Two independent nodes of 1 on d0, 100 on d1. The first goes to d0 (same start, less finish);
  // the second can start at 0 only on d1.
  Sketch sketch("slow", 2);
  sketch.node("a", {1, 100});
  sketch.node("b", {1, 100});
  const Problem problem = sketch.build();
  const Outcome outcome = etf(problem);
  REQUIRE(outcome.placement);
  CHECK(outcome.placement->device_of == placed({0, 1}).device_of);
  CHECK(simulate(problem, *outcome.placement).value == Duration{100});
}

TEST_CASE("of equal starts the node of larger rank goes first") {
  // One device; ranks a 2, b 2 + 3 = 5, c 3.
  Sketch sketch("rank", 1);
  const NodeId a = sketch.node("a", {2}), b = sketch.node("b", {2}), c = sketch.node("c", {3});
  sketch.tensor(b, 5, {c});
  const Outcome outcome = etf(sketch.build());
  REQUIRE(outcome.placement);
  CHECK(outcome.placement->order == std::vector<NodeId>{b, c, a});
}

TEST_CASE("the heaps of ETF choose what looking at all pairs chooses") {
  Rng rng(22);
  for (int round = 0; round < effort(1500); ++round) {
    CAPTURE(round);
    const Problem problem = fixtures::random_problem(rng, {.min_nodes = 2,
                                                           .max_nodes = 16,
                                                           .max_devices = 4,
                                                           .memory_limits = false,
                                                           .constraints = false});
    const Outcome outcome = etf(problem);
    REQUIRE(outcome.placement);
    CHECK(*outcome.placement == literal_etf(problem));
  }
}

TEST_CASE("ETF says which node found no room") {
  Sketch sketch("full", 1);
  for (const char* name : {"a", "b"}) sketch.at(sketch.node(name, {1})).weights = Bytes{6};
  sketch.set_memory(0, 10);
  const Outcome outcome = etf(sketch.build());
  CHECK(!outcome.placement);
  CHECK(outcome.reason == "no device takes node b: d0 would need 12 bytes and has 10");
}
