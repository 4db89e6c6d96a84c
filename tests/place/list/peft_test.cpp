#include "berth/place/list/peft.h"

#include <algorithm>
#include <functional>
#include <set>

#include <doctest/doctest.h>

#include "berth/io/read_problem.h"
#include "berth/place/registry.h"
#include "berth/place/run_placer.h"
#include "berth/sim/evaluate.h"
#include "tests/support/effort.h"
#include "tests/support/fixtures.h"
#include "tests/support/shared_data.h"
#include "tests/support/sketch.h"

using namespace berth;

namespace {

Outcome peft(const Problem& problem) {
  Budget budget;
  return run_method([](const Context& context) { peft(context, {}); }, "peft", problem, budget,
                    Rng(1));
}

// R by recursion over all ways down.
double tail(const Problem& problem, NodeId node, DeviceId device) {
  double rest = 0;
  for (const TensorId tensor : problem.graph().outputs(node))
    for (const NodeId next : problem.graph().consumers(tensor)) {
      double least = kForever.count();
      for (const DeviceId to : problem.devices())
        if (problem.allows(next, to))
          least = std::min(least,
                           problem.transfer(tensor, device, to).count() + tail(problem, next, to));
      rest = std::max(rest, least);
    }
  return problem.time(node, device).count() + rest;
}

// PEFT by the definition: lists of runs, walked from the front.
double literal_makespan(const Problem& problem) {
  struct Busy {
    double start, finish;
  };
  const Graph& graph = problem.graph();
  std::vector<std::vector<Busy>> busy(problem.device_count());
  IdVector<NodeId, double> finish(problem.node_count(), 0);
  IdVector<NodeId, DeviceId> device_of(problem.node_count());
  std::set<NodeId> placed;
  double makespan = 0;
  while (placed.size() < problem.node_count()) {
    std::optional<std::pair<double, NodeId>> next;
    for (const NodeId node : graph.nodes()) {
      const auto has = [&](NodeId before) { return placed.contains(before); };
      if (has(node) || !std::ranges::all_of(graph.predecessors(node), has)) continue;
      double sum = 0, count = 0;
      for (const DeviceId device : problem.devices())
        if (problem.allows(node, device)) sum += tail(problem, node, device), ++count;
      if (!next || sum / count > next->first) next = {sum / count, node};
    }
    const NodeId node = next->second;
    double least = kForever.count(), start = 0;
    for (const DeviceId device : problem.devices()) {
      if (!problem.allows(node, device)) continue;
      double at = 0;
      for (const TensorId tensor : graph.inputs(node)) {
        const NodeId from = graph.producer(tensor);
        at = std::max(at, finish[from] + problem.transfer(tensor, device_of[from], device).count());
      }
      for (const Busy& run : busy[index(device)]) {
        if (at + problem.time(node, device).count() <= run.start) break;
        at = std::max(at, run.finish);
      }
      if (const double end = at + tail(problem, node, device); end < least * (1 - 1e-12)) {
        least = end, start = at;
        device_of[node] = device;
      }
    }
    finish[node] = start + problem.time(node, device_of[node]).count();
    std::vector<Busy>& runs = busy[index(device_of[node])];
    runs.push_back({start, finish[node]});
    std::ranges::sort(runs, {}, [](const Busy& run) { return std::pair(run.start, run.finish); });
    makespan = std::max(makespan, finish[node]);
    placed.insert(node);
  }
  return makespan;
}

}  // namespace

TEST_CASE("a node does not go where it finishes first when the way from there is long") {
  // a finishes first on d0 (1 against 2), but b runs on d1 only and the tensor takes 10: HEFT ends
  // at 1 + 10 + 3, PEFT at 2 + 3.
  Sketch sketch("ahead", 2);
  const NodeId a = sketch.node("a", {1, 2}), b = sketch.node("b", {kNever, 3});
  sketch.tensor(a, 10, {b});
  const Problem problem = sketch.build();
  const Outcome outcome = peft(problem);
  REQUIRE(outcome.placement);
  CHECK(outcome.placement->device_of[a] == DeviceId{1});
  CHECK(simulate(problem, *outcome.placement).value.count() == doctest::Approx(5));
}

TEST_CASE("the simulator repeats the schedule that PEFT built") {
  Rng rng(22);
  for (int round = 0; round < effort(800); ++round) {
    CAPTURE(round);
    const Problem drawn =
        fixtures::random_problem(rng, {.min_nodes = 2,
                                       .max_nodes = 10,
                                       .max_devices = 4,
                                       .execution = fixtures::ExecutionKind::kConcurrent,
                                       .memory_limits = false,
                                       .constraints = false});
    Cluster cluster = drawn.cluster();
    cluster.set_uncontended();
    const Problem problem = drawn.with_cluster(cluster);
    const Outcome outcome = peft(problem);
    REQUIRE(outcome.placement);
    CHECK(simulate(problem, *outcome.placement).value.count() ==
          doctest::Approx(literal_makespan(problem)).epsilon(1e-12));
  }
}

TEST_CASE("PEFT is better than HEFT on the moirai set") {
  for (const char* file : {"GoogLeNet", "inceptionv4", "transformer"}) {
    CAPTURE(file);
    const auto path = shared_data(std::string("moirai/") + file + ".json");
    if (!path) return;
    const Problem problem = read_problem(*path, {.ignore_memory = true});
    const Result ahead = run_placer("peft", problem), heft = run_placer("heft", problem);
    REQUIRE((ahead.simulation && heft.simulation));
    CHECK(ahead.simulation->value < heft.simulation->value);
  }
}
