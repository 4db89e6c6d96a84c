#include "berth/place/cut/sequential_cut.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "berth/base/error.h"
#include "berth/base/random.h"
#include "berth/place/cut/additive_cost.h"
#include "berth/place/cut/cut_moves.h"
#include "berth/place/cut/multiway_bound.h"
#include "berth/place/registry.h"
#include "berth/place/run_placer.h"
#include "berth/sim/evaluate.h"
#include "berth/solvers/milp.h"
#include "tests/support/effort.h"

namespace berth {
namespace {

struct Shape {
  std::size_t most_nodes = 8, devices = 2;
  bool ties = true, constraints = false, apart = false, memory = false, uniform_links = false;
  Duration overhead{0};
};

Duration random_time(Rng& rng, bool ties) {
  return Duration{ties ? static_cast<double>(rng.below(5)) : 10 * rng.exponential()};
}

Graph random_graph(Rng& rng, const Shape& shape) {
  const std::size_t n = 1 + rng.below(shape.most_nodes);
  GraphBuilder builder;
  std::vector<NodeId> nodes;
  for (std::size_t i = 0; i < n; ++i) {
    Node node;
    if (shape.memory) node.weights = Bytes{static_cast<std::int64_t>(rng.below(4))};
    if (shape.constraints && rng.uniform() < 0.3)
      node.group = static_cast<std::int32_t>(rng.below(2));
    nodes.push_back(builder.add_node(node));
  }
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t port = rng.below(3); port-- > 0;) {
      Tensor value;
      if (shape.memory && rng.uniform() < 0.5)
        value.size = Bytes{static_cast<std::int64_t>(rng.below(3))};
      const TensorId tensor = builder.add_tensor(nodes[i], value);
      for (std::size_t j = i + 1; j < n; ++j)
        if (rng.uniform() < 0.4) builder.add_use(tensor, nodes[j]);
    }
  return std::move(builder).build();
}

std::optional<Problem> random_problem(Rng& rng, const Shape& shape) {
  Graph graph = random_graph(rng, shape);
  const std::size_t n = graph.node_count(), d = shape.devices;
  std::vector<Device> devices(d);
  for (std::size_t i = 0; i < d; ++i) {
    devices[i].name = "d" + std::to_string(i);
    if (shape.memory && rng.uniform() < 0.7)
      devices[i].memory = Bytes{static_cast<std::int64_t>(2 + rng.below(2 * n))};
  }
  Costs costs;
  costs.times = NodeTimes(n, d);
  for (const NodeId node : graph.nodes())
    for (std::size_t i = 0; i < d; ++i)
      costs.times.set(
          node, static_cast<DeviceId>(i),
          shape.constraints && rng.uniform() < 0.05 ? kForever : random_time(rng, shape.ties));
  if (shape.uniform_links) {
    IdVector<TensorId, Duration> times(graph.tensor_count());
    for (Duration& time : times) time = random_time(rng, shape.ties);
    costs.transfers = TransferTimes::per_tensor(times);
  } else {
    std::vector<double> micros(graph.tensor_count() * d * d);
    for (double& time : micros) time = random_time(rng, shape.ties).count();
    costs.transfers = TransferTimes::per_tensor_and_pair(d, micros);
  }
  Constraints constraints;
  const auto node = [&] { return static_cast<NodeId>(rng.below(n)); };
  const auto device = [&] { return static_cast<DeviceId>(rng.below(d)); };
  if (shape.constraints) {
    if (rng.uniform() < 0.5) constraints.pin.push_back({node(), device()});
    if (rng.uniform() < 0.5) constraints.forbid.push_back({node(), device()});
    if (rng.uniform() < 0.3) constraints.together.push_back({node(), node()});
  }
  if (shape.apart)
    for (std::size_t sets = 1 + rng.below(2); sets-- > 0;) {
      std::vector<NodeId> set{node(), node()};
      if (set[0] != set[1]) constraints.apart.push_back(set);
    }
  try {
    Problem problem("random", std::move(graph), Cluster(devices), costs, constraints,
                    Sequential{.subgraph_overhead = shape.overhead});
    if (problem.unplaceable()) return std::nullopt;
    return problem;
  } catch (const Error&) {
    return std::nullopt;  // contradicting constraints
  }
}

// The least value over all feasible placements; infinite when there is none.
Duration brute_force(const Problem& problem) {
  Evaluator evaluator(problem);
  UnitDevices device_of(problem.unit_count(), DeviceId{0});
  Duration best = kForever;
  while (true) {
    const Placement placement = from_units(problem, device_of);
    if (!broken_rule(problem, placement)) {
      const Score score = evaluator(placement);
      if (score.feasible()) best = std::min(best, score.value);
    }
    std::size_t at = 0;
    for (; at < device_of.size(); ++at) {
      DeviceId& device = device_of[static_cast<UnitId>(at)];
      if (index(device) + 1 < problem.device_count()) {
        device = static_cast<DeviceId>(index(device) + 1);
        break;
      }
      device = DeviceId{0};
    }
    if (at == device_of.size()) return best;
  }
}

Outcome run(const Problem& problem, SequentialCutOptions options = {}) {
  Budget budget;
  Rng rng(1);
  return run_method([&](const Context& context) { sequential_cut(context, options); },
                    "sequential-cut", problem, budget, rng);
}

bool close(Duration a, Duration b) {
  return std::abs((a - b).count()) <= 1e-9 * (1e-9 + std::max(a.count(), b.count()));
}

// A problem of nodes in a row on two devices, written out.
struct Row {
  std::vector<std::vector<double>> times;  // by node, by device
  std::vector<double> transfers;           // of node i's output, both ways
};

Problem row_problem(const Row& row, ExecutionModel model = Sequential{}) {
  GraphBuilder builder;
  std::vector<NodeId> nodes;
  for (std::size_t i = 0; i < row.times.size(); ++i) nodes.push_back(builder.add_node({}));
  IdVector<TensorId, Duration> transfers;
  for (std::size_t i = 0; i + 1 < nodes.size(); ++i) {
    builder.add_use(builder.add_tensor(nodes[i], {}), nodes[i + 1]);
    transfers.push_back(Duration{row.transfers[i]});
  }
  Costs costs;
  costs.times = NodeTimes(nodes.size(), 2);
  for (std::size_t i = 0; i < nodes.size(); ++i)
    for (std::size_t d = 0; d < 2; ++d)
      costs.times.set(nodes[i], static_cast<DeviceId>(d), Duration{row.times[i][d]});
  costs.transfers = TransferTimes::per_tensor(transfers);
  return Problem("row", std::move(builder).build(), Cluster({{.name = "A"}, {.name = "B"}}), costs,
                 {}, model);
}

}  // namespace

TEST_CASE("on two devices the cut is the best of all placements, and says so") {
  Rng rng(21);
  for (int trial = 0; trial < effort(3000); ++trial) {
    CAPTURE(trial);
    const auto problem = random_problem(
        rng,
        {.ties = trial % 2 == 0, .constraints = trial % 3 == 0, .uniform_links = trial % 5 == 0});
    if (!problem) continue;
    const Outcome outcome = run(*problem);
    REQUIRE(outcome.placement);
    const Simulation simulation = simulate(*problem, *outcome.placement);
    CHECK(simulation.feasible());
    const Duration best = brute_force(*problem);
    CHECK(close(simulation.value, best));
    CHECK(outcome.proven_optimal);
    REQUIRE(outcome.lower_bound);
    CHECK(*outcome.lower_bound <= best + Duration{1e-12});
    CHECK(close(*outcome.lower_bound, best));
  }
}

TEST_CASE("apart constraints on two devices leave the cut exact") {
  Rng rng(22);
  int placed = 0, impossible = 0;
  for (int trial = 0; trial < effort(1500); ++trial) {
    CAPTURE(trial);
    const auto problem =
        random_problem(rng, {.ties = trial % 2 == 0, .constraints = trial % 3 == 0, .apart = true});
    if (!problem) continue;
    const Duration best = brute_force(*problem);
    const Outcome outcome = run(*problem);
    CHECK(outcome.placement.has_value() == (best != kForever));
    if (!outcome.placement) {
      ++impossible;
      CHECK_FALSE(outcome.reason.empty());
      continue;
    }
    ++placed;
    CHECK(simulate(*problem, *outcome.placement).feasible());
    CHECK(close(simulate(*problem, *outcome.placement).value, best));
    CHECK(outcome.proven_optimal);
  }
  CHECK(placed > effort(500));
  CHECK(impossible > 0);
}

TEST_CASE("memory limits: feasible, bounded from below, and mostly optimal") {
  Rng rng(23);
  int limited = 0, optimal = 0, missed = 0;
  for (int trial = 0; trial < effort(1000); ++trial) {
    CAPTURE(trial);
    const auto problem = random_problem(rng, {.ties = trial % 2 == 0, .memory = true});
    if (!problem) continue;
    const Duration best = brute_force(*problem);
    const Outcome outcome = run(*problem);
    if (!outcome.placement) {
      CHECK_FALSE(outcome.reason.empty());
      if (best != kForever) ++missed;
      continue;
    }
    const Duration value = simulate(*problem, *outcome.placement).value;
    CHECK(simulate(*problem, *outcome.placement).feasible());
    CHECK(value >= best - Duration{1e-9});
    CHECK(*outcome.lower_bound <= best + Duration{1e-9});
    if (outcome.proven_optimal) CHECK(close(value, best));
    ++limited;
    optimal += close(value, best);
  }
  CHECK(optimal > limited * 95 / 100);
  CHECK(missed < limited / 20);
}

TEST_CASE("subgraph overhead: never below the bound, and mostly optimal") {
  Rng rng(24);
  int total = 0, optimal = 0;
  for (int trial = 0; trial < effort(600); ++trial) {
    CAPTURE(trial);
    const auto problem = random_problem(
        rng, {.ties = trial % 2 == 0, .overhead = Duration{trial % 3 == 0 ? 1.0 : 6.0}});
    if (!problem) continue;
    const Duration best = brute_force(*problem);
    const Outcome outcome = run(*problem);
    REQUIRE(outcome.placement);
    const Duration value = simulate(*problem, *outcome.placement).value;
    CHECK(value >= best - Duration{1e-9});
    CHECK(*outcome.lower_bound <= best + Duration{1e-9});
    if (outcome.proven_optimal) CHECK(close(value, best));
    ++total;
    optimal += close(value, best);
  }
  CHECK(optimal > total * 95 / 100);
}

TEST_CASE("three devices: bounded from below and mostly optimal, with or without local search") {
  Rng rng(25);
  int total = 0, optimal = 0, proven = 0;
  for (int trial = 0; trial < effort(400); ++trial) {
    CAPTURE(trial);
    const auto problem = random_problem(rng, {.most_nodes = 7,
                                              .devices = 3,
                                              .ties = trial % 2 == 0,
                                              .constraints = trial % 3 == 0,
                                              .apart = trial % 7 == 0,
                                              .uniform_links = trial % 4 == 0});
    if (!problem) continue;
    const Duration best = brute_force(*problem);
    const Outcome outcome = run(*problem, {.improvements = trial % 2 == 0 ? 0 : 20000});
    if (best == kForever) {
      CHECK_FALSE(outcome.placement);
      continue;
    }
    REQUIRE(outcome.placement);
    const Duration value = simulate(*problem, *outcome.placement).value;
    CHECK(simulate(*problem, *outcome.placement).feasible());
    CHECK(value >= best - Duration{1e-9});
    if (outcome.lower_bound) CHECK(*outcome.lower_bound <= best + Duration{1e-9});
    if (outcome.proven_optimal) CHECK(close(value, best));
    ++total;
    optimal += close(value, best);
    proven += outcome.proven_optimal;
  }
  CHECK(optimal > total * 95 / 100);
  if (milp_available()) CHECK(proven > total * 3 / 4);
}

TEST_CASE("no expansion or swap raises the true cost") {
  Rng rng(26);
  for (int trial = 0; trial < effort(2000); ++trial) {
    CAPTURE(trial);
    const auto problem = random_problem(rng, {.devices = 4, .ties = trial % 2 == 0});
    if (!problem) continue;
    const AdditiveCost cost(*problem);
    UnitDevices from(problem->unit_count(), DeviceId{0});
    for (DeviceId& device : from) device = static_cast<DeviceId>(rng.below(4));
    const double before = cost(from);
    const auto a = static_cast<DeviceId>(rng.below(4));
    CHECK(cost(best_expansion(cost, from, a)) <= before + 1e-9);
    const auto b = static_cast<DeviceId>((index(a) + 1) % 4);
    CHECK(cost(best_swap(cost, from, a, b).device_of) <= before + 1e-9);
  }
}

TEST_CASE("with equal links an expansion is the best of all choices to switch") {
  Rng rng(27);
  for (int trial = 0; trial < effort(500); ++trial) {
    CAPTURE(trial);
    const auto problem =
        random_problem(rng, {.devices = 3, .ties = trial % 2 == 0, .uniform_links = true});
    if (!problem) continue;
    const AdditiveCost cost(*problem);
    UnitDevices from(problem->unit_count(), DeviceId{0});
    for (DeviceId& device : from) device = static_cast<DeviceId>(rng.below(3));
    double best = cost(from);
    for (std::uint32_t mask = 0; mask < (1U << from.size()); ++mask) {
      UnitDevices next = from;
      for (std::size_t i = 0; i < next.size(); ++i)
        if ((mask >> i) & 1U) next[static_cast<UnitId>(i)] = DeviceId{2};
      best = std::min(best, cost(next));
    }
    CHECK(cost(best_expansion(cost, from, DeviceId{2})) == doctest::Approx(best));
  }
}

TEST_CASE("a tensor is paid once for all its consumers on a device") {
  // One producer, fast on A (1 against 50); ten consumers, each 1 on B and 3 on A. Sending once
  // costs 5: 1 + 5 + 10 = 16 beats 1 + 30 = 31. Paid per edge it would be 1 + 50 + 10.
  GraphBuilder builder;
  const NodeId producer = builder.add_node({});
  const TensorId tensor = builder.add_tensor(producer, {});
  for (int i = 0; i < 10; ++i) builder.add_use(tensor, builder.add_node({}));
  Costs costs;
  costs.times = NodeTimes(11, 2, Duration{1});
  costs.times.set(producer, DeviceId{1}, Duration{50});
  for (std::uint32_t i = 1; i <= 10; ++i) costs.times.set(NodeId{i}, DeviceId{0}, Duration{3});
  costs.transfers = TransferTimes::per_tensor(IdVector<TensorId, Duration>(1, Duration{5}));
  const Problem problem("fan", std::move(builder).build(), Cluster({{.name = "A"}, {.name = "B"}}),
                        costs, {}, Sequential{});
  const Outcome outcome = run(problem);
  REQUIRE(outcome.placement);
  CHECK(simulate(problem, *outcome.placement).value.count() == doctest::Approx(16));
  CHECK(outcome.proven_optimal);
}

TEST_CASE("links may cost more one way than the other") {
  // Two nodes, each 1 on its favourite device and 10 on the other. A -> B costs 2, B -> A 100.
  for (const bool forward : {true, false}) {
    GraphBuilder builder;
    const NodeId first = builder.add_node({}), second = builder.add_node({});
    builder.add_use(builder.add_tensor(first, {}), second);
    Costs costs;
    costs.times = NodeTimes(2, 2, Duration{10});
    costs.times.set(first, DeviceId{forward ? std::uint16_t{0} : std::uint16_t{1}}, Duration{1});
    costs.times.set(second, DeviceId{forward ? std::uint16_t{1} : std::uint16_t{0}}, Duration{1});
    costs.transfers = TransferTimes::per_tensor_and_pair(2, {0, 2, 100, 0});
    const Problem problem("pair", std::move(builder).build(),
                          Cluster({{.name = "A"}, {.name = "B"}}), costs, {}, Sequential{});
    const Outcome outcome = run(problem);
    REQUIRE(outcome.placement);
    // Forward: 1 + 2 + 1. Backward sending is too dear: both on one device, 1 + 10.
    CHECK(simulate(problem, *outcome.placement).value.count() == doctest::Approx(forward ? 4 : 11));
  }
}

TEST_CASE("equal costs everywhere give a single device") {
  const Problem problem = row_problem({.times = std::vector<std::vector<double>>(20, {3, 3}),
                                       .transfers = std::vector<double>(19, 0.5)});
  const Outcome outcome = run(problem);
  REQUIRE(outcome.placement);
  for (const DeviceId device : outcome.placement->device_of)
    CHECK(device == outcome.placement->device_of[NodeId{0}]);
}

TEST_CASE("other execution models get the placement but no claim") {
  for (const ExecutionModel& model : {ExecutionModel(Concurrent{}), ExecutionModel(MaxLoad{})}) {
    const Problem problem = row_problem({.times = {{1, 9}, {9, 1}}, .transfers = {1}}, model);
    const Outcome outcome = run(problem);
    REQUIRE(outcome.placement);
    CHECK(outcome.placement->device_of == IdVector<NodeId, DeviceId>{DeviceId{0}, DeviceId{1}});
    CHECK_FALSE(outcome.lower_bound);
    CHECK_FALSE(outcome.proven_optimal);
  }
}

TEST_CASE("enormous transfer times do not cost small times their digits") {
  // Node times around 1e-3 beside a transfer of 1e15 that nobody pays.
  const Problem problem = row_problem(
      {.times = {{1e-3, 2e-3}, {3e-3, 1e-3}, {1e-3, 1.5e-3}}, .transfers = {1e15, 1e-4}});
  const Outcome outcome = run(problem);
  REQUIRE(outcome.placement);
  // First two together: on B 2 + 1 = 3, on A 1 + 3 = 4 (thousandths); the third on A for 0.1 + 1.
  CHECK(simulate(problem, *outcome.placement).value.count() == doctest::Approx(4.1e-3));
  CHECK(outcome.proven_optimal);
}

TEST_CASE("a budget that is spent still gives a placement") {
  Rng rng(31);
  std::atomic<bool> stop{true};
  for (const std::size_t devices : {2, 3}) {
    const auto problem = random_problem(rng, {.devices = devices});
    REQUIRE(problem);
    Budget budget({}, &stop);
    Rng own(1);
    CHECK(run_method("sequential-cut", *problem, budget, own).placement);
  }
}

TEST_CASE("the door reports the cut as optimal and repeats it") {
  const Problem problem = row_problem({.times = {{1, 9}, {9, 1}, {2, 2}}, .transfers = {1, 1}});
  const Result first = run_placer("sequential-cut", problem, 7);
  const Result again = run_placer("sequential-cut", problem, 7);
  REQUIRE(first.placement);
  CHECK(first.proven_optimal);
  CHECK(first.simulation->value.count() == doctest::Approx(5));
  CHECK(*first.placement == *again.placement);
}

}  // namespace berth
