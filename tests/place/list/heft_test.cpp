#include "berth/place/list/heft.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include "berth/place/registry.h"
#include "berth/sim/evaluate.h"
#include "berth/transform/ranks.h"
#include "tests/support/effort.h"
#include "tests/support/fixtures.h"
#include "tests/support/sketch.h"

using namespace berth;

namespace {

Outcome heft(const Problem& problem, bool insertion = true) {
  Budget budget;
  Rng rng(1);
  return run_method([&](const Context& context) { heft(context, {.insertion = insertion}); },
                    "heft", problem, budget, rng);
}

// HEFT by the definition: all runs of a device in a list, walked from the front.
Duration literal_makespan(const Problem& problem, bool insertion) {
  struct Busy {
    double start, finish;
  };
  std::vector<std::vector<Busy>> busy(problem.device_count());
  IdVector<NodeId, double> finish(problem.node_count(), 0);
  IdVector<NodeId, DeviceId> device_of(problem.node_count());
  double makespan = 0;
  for (const NodeId node : priority_order(problem)) {
    std::optional<std::pair<double, double>> best;  // finish, start
    for (const DeviceId device : problem.devices()) {
      if (!problem.allows(node, device)) continue;
      double start = 0;
      for (const TensorId tensor : problem.graph().inputs(node)) {
        const NodeId from = problem.graph().producer(tensor);
        start = std::max(start,
                         finish[from] + problem.transfer(tensor, device_of[from], device).count());
      }
      const double time = problem.time(node, device).count();
      for (const Busy& run : busy[index(device)]) {
        if (insertion && start + time <= run.start) break;
        start = std::max(start, run.finish);
      }
      if (!best || start + time < best->first * (1 - 1e-12)) {
        best = {start + time, start};
        device_of[node] = device;
      }
    }
    finish[node] = best->first;
    std::vector<Busy>& runs = busy[index(device_of[node])];
    runs.push_back({best->second, best->first});
    std::sort(runs.begin(), runs.end(), [](const Busy& a, const Busy& b) {
      return std::pair(a.start, a.finish) < std::pair(b.start, b.finish);
    });
    makespan = std::max(makespan, best->first);
  }
  return Duration{makespan};
}

// a (d0, 1) -> b (d1, 10) -> c (d0, 5), and e (d0, 3) beside them. Ranks 16, 15, 5, 3.
Sketch gap_sketch() {
  Sketch sketch("gap", 2);
  const NodeId a = sketch.node("a", {1, kNever}), b = sketch.node("b", {kNever, 10});
  const NodeId c = sketch.node("c", {5, kNever});
  sketch.node("e", {3, kNever});
  sketch.tensor(a, 0, {b});
  sketch.tensor(b, 0, {c});
  return sketch;
}

}  // namespace

TEST_CASE("with insertion a late node fills an earlier gap") {
  // d0 is idle from 1 to 11, where e fits: the end is c's, 16. Without insertion e follows c: 19.
  const Problem problem = gap_sketch().build();
  const Outcome with = heft(problem), without = heft(problem, false);
  REQUIRE((with.placement && without.placement));
  CHECK(simulate(problem, *with.placement).value == Duration{16});
  CHECK(simulate(problem, *without.placement).value == Duration{19});
  // By start, then finish: a 0-1, e 1-4, b 1-11, c 11-16.
  CHECK(with.placement->order == std::vector<NodeId>{NodeId{0}, NodeId{3}, NodeId{1}, NodeId{2}});
}

TEST_CASE("the simulator repeats the schedule that HEFT built") {
  Rng rng(21);
  for (int round = 0; round < effort(1500); ++round) {
    CAPTURE(round);
    constexpr auto kConcurrent = fixtures::ExecutionKind::kConcurrent;
    const Problem drawn = fixtures::random_problem(rng, {.min_nodes = 2,
                                                         .max_nodes = 16,
                                                         .max_devices = 4,
                                                         .execution = kConcurrent,
                                                         .memory_limits = false,
                                                         .constraints = false});
    Cluster cluster = drawn.cluster();
    cluster.set_uncontended();
    const Problem problem = drawn.with_cluster(cluster);
    for (const bool insertion : {true, false}) {
      const Outcome outcome = heft(problem, insertion);
      REQUIRE(outcome.placement);
      CHECK(simulate(problem, *outcome.placement).value.count() ==
            doctest::Approx(literal_makespan(problem, insertion).count()).epsilon(1e-12));
    }
  }
}

TEST_CASE("the pieces of a unit that cannot be contracted follow the first one placed") {
  // a -> b -> c, {a,c} together. a is best on d0, c alone would be far better on d1.
  Sketch sketch("tied", 2);
  const NodeId a = sketch.node("a", {1, 2}), b = sketch.node("b", {1, 1}),
               c = sketch.node("c", {9, 1});
  sketch.tensor(a, 0, {b});
  sketch.tensor(b, 0, {c});
  sketch.constraints.together = {{a, c}};
  const Outcome outcome = heft(sketch.build());
  REQUIRE(outcome.placement);
  CHECK(outcome.placement->device_of[a] == DeviceId{0});
  CHECK(outcome.placement->device_of[c] == DeviceId{0});
}

TEST_CASE("a device without room is skipped, and no device left is said") {
  // Rank order a, b, c. d0 is faster but holds only one of the three.
  Sketch sketch("full", 2);
  for (const char* name : {"a", "b", "c"}) {
    const NodeId node = sketch.node(name, {1, 50});
    sketch.at(node).weights = Bytes{6};
    sketch.at(node).workspace = Bytes{4};
  }
  sketch.set_memory(0, 10);
  sketch.set_memory(1, 16);
  const Outcome fits = heft(sketch.build());
  REQUIRE(fits.placement);
  CHECK(fits.placement->device_of == placed({0, 1, 1}).device_of);
  sketch.set_memory(1, 15);
  const Outcome full = heft(sketch.build());
  CHECK(!full.placement);
  CHECK(full.reason ==
        "no device takes node c: d0 would need 16 bytes and has 10, d1 would need 16 bytes and has "
        "15");
}

TEST_CASE("a pinned node keeps its room although others come first") {
  // Both fit on d0 only, one at a time, but b has no other device.
  Sketch sketch("pinned", 2);
  const NodeId a = sketch.node("a", {9, 90}), b = sketch.node("b", {1, 1});
  sketch.at(a).weights = sketch.at(b).weights = Bytes{6};
  sketch.set_memory(0, 10);
  sketch.constraints.pin = {{b, DeviceId{0}}};
  const Outcome outcome = heft(sketch.build());
  REQUIRE(outcome.placement);
  CHECK(outcome.placement->device_of == placed({1, 0}).device_of);
}

TEST_CASE("nodes that must be apart are") {
  Sketch sketch("apart", 2);
  const NodeId a = sketch.node("a", {1, 90}), b = sketch.node("b", {1, 90});
  sketch.constraints.apart = {{a, b}};
  const Outcome outcome = heft(sketch.build());
  REQUIRE(outcome.placement);
  CHECK(outcome.placement->device_of == placed({0, 1}).device_of);
}
