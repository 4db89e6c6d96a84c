#include "berth/place/load/expand_servers.h"

#include <limits>
#include <optional>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "berth/io/read_problem.h"
#include "berth/place/run_placer.h"
#include "berth/sim/evaluate.h"
#include "tests/support/brute_force.h"
#include "tests/support/changed_model.h"
#include "tests/support/effort.h"
#include "tests/support/fixtures.h"
#include "tests/support/naive_simulator.h"
#include "tests/support/shared_data.h"
#include "tests/support/sketch.h"
#include "tests/support/with_servers.h"

using namespace berth;

namespace {

// The best of all placements that the literal simulator calls contiguous, servers included.
std::optional<double> literal_optimum(const Problem& problem) {
  Evaluator evaluator(problem);
  return brute_force(problem,
                     [&](const Placement& placement) -> std::optional<double> {
                       const Score score = evaluator(placement);
                       if (!score.feasible()) return std::nullopt;
                       REQUIRE(naive::forms_pipeline(problem, placement.device_of.items()));
                       return naive::value(problem, placement);
                     })
      .best;
}

// A chain a -> b -> c -> d on a CPU and four accelerators, two in each server; each takes 4 there.
// Transfers take 1 per byte: the tensor in the middle has 3 bytes, the others 1.
Sketch chain_of_four() {
  Sketch sketch("chain", 5, 1);
  NodeId last{};
  for (int i = 0; i < 4; ++i) {
    const NodeId node = sketch.node(fmt::format("n{}", i), {100, 4, 4, 4, 4});
    if (i > 0) sketch.tensor(last, i == 2 ? 3 : 1, {node});
    last = node;
  }
  sketch.model = MaxLoad{.route = Route::kHost, .contiguous = true};
  for (std::size_t d = 0; d < 5; ++d) {
    Device device = sketch.cluster.device(static_cast<DeviceId>(d));
    device.server = d < 3 ? "left" : "right";
    sketch.cluster.set_device(static_cast<DeviceId>(d), device);
  }
  return sketch;
}

Problem contiguous(const Problem& problem) {
  return changed<MaxLoad>(problem, [](MaxLoad& load) { load.contiguous = true; });
}

}  // namespace

TEST_CASE("a slow network keeps a pipeline inside one server, a fast one does not") {
  Sketch sketch = chain_of_four();
  // One node each: the second has 4 + 1 + 3 = 8 on its device. The border between the servers lies
  // on the 3 bytes, which take 3 on a network as fast as the links.
  sketch.cluster.set_network(Duration{0}, 1e6);
  const Result fast = run_placer("ideal-dp", sketch.build());
  REQUIRE(fast.placement);
  CHECK(fast.proven_optimal);
  CHECK(fast.simulation->value == Duration{8});
  // At 5 per byte it takes 15, and the tensors beside it take 5: the last three nodes in a server,
  // two of them on one device, 4 + 4 + 1 + 1.
  sketch.cluster.set_network(Duration{0}, 2e5);
  const Result slow = run_placer("ideal-dp", sketch.build());
  REQUIRE(slow.placement);
  CHECK(slow.proven_optimal);
  CHECK(slow.simulation->value == Duration{10});
  // At 100 per byte nothing crosses: two nodes on each device of one server, 4 + 4 + 3.
  sketch.cluster.set_network(Duration{0}, 1e4);
  const Result none = run_placer("ideal-dp", sketch.build());
  REQUIRE(none.placement);
  CHECK(none.simulation->network[0] == Duration{0});
  CHECK(none.simulation->network[1] == Duration{0});
  CHECK(none.simulation->value == Duration{11});
}

TEST_CASE("ideal-dp equals brute force over contiguous splits of devices in servers") {
  Rng rng(71);
  int crossing = 0, costly = 0;
  for (int round = 0; round < effort(3000); ++round) {
    CAPTURE(round);
    fixtures::RandomShape shape{.max_nodes = 6, .min_devices = 2, .max_devices = 4};
    shape.execution = fixtures::ExecutionKind::kCall;
    shape.objective = Objective::kThroughput;
    const Problem flat = changed<MaxLoad>(fixtures::random_problem(rng, shape), [&](MaxLoad& load) {
      load.contiguous = true;
      load.overlap = static_cast<Overlap>(rng.below(3));
      load.training = static_cast<TrainingSchedule>(rng.below(2));
    });
    const Problem problem = with_servers(flat, rng);
    const std::optional<double> best = literal_optimum(problem);
    const Result result = run_placer("ideal-dp", problem);
    REQUIRE(result.placement.has_value() == best.has_value());
    if (!best) continue;
    CHECK(result.proven_optimal);
    REQUIRE(result.simulation->value.count() == doctest::Approx(*best).epsilon(1e-9));
    crossing += !result.simulation->network.empty() && result.simulation->network[0] > Duration{0};
    // A free network can only be better.
    Cluster free = problem.cluster();
    free.set_network(Duration{0}, std::numeric_limits<double>::infinity());
    const Result without = run_placer("ideal-dp", problem.with_cluster(free));
    REQUIRE(without.simulation->value.count() <= *best * (1 + 1e-9));
    costly += without.simulation->value.count() < *best * (1 - 1e-6);
    const Result linear = run_placer("linear-dp", problem);
    if (linear.placement) REQUIRE(linear.simulation->value.count() >= *best * (1 - 1e-9));
    // Methods that do not know servers are judged by them all the same, and claim nothing too much.
    if (round % 100 == 0)
      for (const char* spec : {"throughput-ip", "anneal(steps=2000)", "auto"}) {
        CAPTURE(spec);
        Budget budget({.seconds = {}, .evaluations = 3000});
        const Result other = run_placer(spec, problem, 1, budget);
        if (!other.placement) continue;
        REQUIRE(other.simulation->value.count() >= *best * (1 - 1e-9));
        if (other.lower_bound) REQUIRE(other.lower_bound->count() <= *best * (1 + 1e-9));
        if (other.proven_optimal)
          REQUIRE(other.simulation->value.count() == doctest::Approx(*best).epsilon(1e-9));
      }
  }
  CHECK(crossing > effort(3000) / 20);
  CHECK(costly > effort(3000) / 20);
}

TEST_CASE("replicas stay in the server of their stage") {
  Rng rng(72);
  int replicated = 0;
  for (int round = 0; round < effort(1000); ++round) {
    CAPTURE(round);
    fixtures::RandomShape shape{.max_nodes = 5, .min_devices = 3, .max_devices = 4};
    shape.execution = fixtures::ExecutionKind::kCall;
    shape.objective = Objective::kThroughput;
    const Problem problem = with_servers(contiguous(fixtures::random_problem(rng, shape)), rng);
    const Result alone = run_placer("ideal-dp", problem);
    const Result shared = run_placer("ideal-dp(replicas=3)", problem);
    REQUIRE(shared.placement.has_value() == alone.placement.has_value());
    if (!shared.placement) continue;
    // run_placer has checked the rules and simulated the placement again.
    CHECK(shared.proven_optimal);
    REQUIRE(shared.simulation->value <= alone.simulation->value * (1 + 1e-9));
    replicated += !shared.placement->replicas.empty();
    for (const Replica& replica : shared.placement->replicas)
      CHECK(problem.cluster().device(replica.device).server ==
            problem.cluster().device(replica.of).server);
  }
  CHECK(replicated > effort(1000) / 30);
}

TEST_CASE("three servers of two accelerators: the result does not depend on the threads") {
  const std::optional<std::filesystem::path> file =
      shared_data("dnn-partitioning/throughput-inputs/LayerGraphs/gnmt_inference.json");
  if (!file) return;
  const Problem flat = contiguous(read_problem(*file, {}));
  Cluster cluster = flat.cluster();
  for (const DeviceId id : cluster.devices()) {
    Device device = cluster.device(id);
    device.server = fmt::format("s{}", index(id) / 2 % 3);
    cluster.set_device(id, device);
  }
  cluster.set_network(Duration{0}, 1e9);
  const Problem problem = flat.with_cluster(cluster);
  const Result linear = run_placer("linear-dp(orders=10)", problem);
  REQUIRE(linear.placement);
  Budget budget({.seconds = {}, .evaluations = 12});
  const Result one = run_placer("ideal-dp(orders=10,threads=1)", problem, 1, budget);
  Budget again({.seconds = {}, .evaluations = 12});
  const Result three = run_placer("ideal-dp(orders=10,threads=3)", problem, 1, again);
  REQUIRE(one.placement);
  CHECK(one.placement == three.placement);
  CHECK(one.lower_bound == three.lower_bound);
  CHECK(one.simulation->value >= run_placer("ideal-dp", flat).simulation->value * (1 - 1e-9));
}
