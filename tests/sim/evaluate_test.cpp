#include "berth/sim/evaluate.h"

#include <algorithm>
#include <map>
#include <set>
#include <vector>

#include <doctest/doctest.h>

#include "berth/graph/order.h"
#include "tests/support/effort.h"
#include "tests/support/fixtures.h"
#include "tests/support/naive_simulator.h"
#include "tests/support/shared_weights.h"
#include "tests/support/sketch.h"
#include "tests/support/with_servers.h"

using namespace berth;

namespace {

// No two spans of one resource overlap; spans without length may touch anything.
void check_one_at_a_time(std::vector<std::pair<Duration, Duration>> spans) {
  std::sort(spans.begin(), spans.end());
  for (std::size_t i = 1; i < spans.size(); ++i) REQUIRE(spans[i - 1].second <= spans[i].first);
}

// What holds for a schedule of any execution model.
void check_runs(const Problem& problem, const Placement& placement, const Schedule& schedule) {
  REQUIRE(schedule.runs.size() == problem.node_count());
  std::set<NodeId> seen;
  std::map<DeviceId, std::vector<std::pair<Duration, Duration>>> busy;
  for (const Run& run : schedule.runs) {
    REQUIRE(seen.insert(run.node).second);
    REQUIRE(run.device == placement.device_of[run.node]);
    REQUIRE(run.start >= Duration{0});
    const double took = (run.finish - run.start).count();
    const double alone = problem.time(run.node, run.device).count();
    if (problem.as<InPieces>() && problem.as<InPieces>()->contention > 0)
      REQUIRE(took >= doctest::Approx(alone));
    else
      REQUIRE(took == doctest::Approx(alone));
    REQUIRE(run.finish <= schedule.makespan);
    busy[run.device].emplace_back(run.start, run.finish);
  }
  // CPUs are unlimited in the call model.
  for (const auto& [device, spans] : busy)
    if (!naive::is_call(problem) || !problem.cluster().device(device).is_host())
      check_one_at_a_time(spans);
  REQUIRE(
      std::is_sorted(schedule.runs.begin(), schedule.runs.end(), [](const Run& a, const Run& b) {
        return std::pair(a.start, a.device) < std::pair(b.start, b.device);
      }));
  REQUIRE(std::is_sorted(schedule.moves.begin(), schedule.moves.end(),
                         [](const Move& a, const Move& b) { return a.start < b.start; }));
}

// Every tensor is on a device before a node there uses it. Concurrent, pipeline and sequential.
void check_moves(const Problem& problem, const Placement& placement, const Schedule& schedule) {
  const Graph& graph = problem.graph();
  std::map<NodeId, Run> run_of;
  for (const Run& run : schedule.runs) run_of.insert({run.node, run});
  std::map<std::pair<TensorId, DeviceId>, Duration> there;
  std::map<ChannelId, std::vector<std::pair<Duration, Duration>>> carried;
  for (const Move& move : schedule.moves) {
    const Run& producer = run_of.at(graph.producer(move.tensor));
    REQUIRE(move.from == producer.device);
    REQUIRE(move.to != move.from);
    REQUIRE(move.start >= producer.finish);
    REQUIRE((move.finish - move.start).count() ==
            doctest::Approx(problem.transfer(move.tensor, move.from, move.to).count()));
    const bool first = there.insert({{move.tensor, move.to}, move.finish}).second;
    REQUIRE(first);                        // once per (tensor, receiving device)
    if (problem.as<InPieces>()) continue;  // never contended
    for (const ChannelId channel : problem.cluster().link(move.from, move.to).channels)
      carried[channel].emplace_back(move.start, move.finish);
  }
  for (const auto& [channel, spans] : carried) check_one_at_a_time(spans);
  for (const NodeId node : graph.nodes())
    for (const TensorId tensor : graph.inputs(node)) {
      const Run& producer = run_of.at(graph.producer(tensor));
      const DeviceId here = placement.device_of[node];
      if (producer.device == here) {
        REQUIRE(run_of.at(node).start >= producer.finish);
      } else {
        REQUIRE(there.count({tensor, here}) == 1);
        REQUIRE(run_of.at(node).start >= there.at({tensor, here}));
      }
    }
}

double overflow_by_hand(const Problem& problem, const Placement& placement,
                        const Schedule& schedule) {
  const auto memory = naive::peak_memory(problem, placement, schedule);
  double overflow = 0;
  for (const DeviceId device : problem.devices()) {
    const std::optional<Bytes> limit = problem.cluster().device(device).memory;
    if (!limit) continue;
    const double ratio =
        static_cast<double>(memory[device].peak().count) / static_cast<double>(limit->count);
    overflow += std::max(0.0, ratio - 1);
  }
  if (const CallLatency* model = problem.as<CallLatency>()) {
    std::map<DeviceId, int> pieces;
    for (const std::set<NodeId>& piece :
         naive::pieces(problem, placement.device_of.items(), PieceKind::kCalls))
      ++pieces[placement.device_of[*piece.begin()]];
    for (const auto& [device, count] : pieces)
      if (!problem.cluster().device(device).is_host())
        overflow += std::max(0, count - model->pieces);
  }
  if (naive::wants_contiguous(problem) &&
      !naive::forms_pipeline(problem, placement.device_of.items()))
    overflow += 1;
  if (const int most = problem.model().max_subgraphs; most > 0) {
    const auto subgraphs =
        naive::pieces(problem, placement.device_of.items(), PieceKind::kSubgraphs).size();
    overflow += std::max(0.0, static_cast<double>(subgraphs) / most - 1);
  }
  return overflow;
}

void check_everything(const Problem& problem, const Placement& placement, Evaluator& evaluator) {
  const double expected = naive::value(problem, placement);
  const Score score = evaluator(placement);
  const Simulation simulation = simulate(problem, placement);
  REQUIRE(score.value.count() == doctest::Approx(expected).epsilon(1e-9));
  REQUIRE(simulation.value == score.value);

  check_runs(problem, placement, simulation.schedule);
  if (!naive::is_call(problem)) check_moves(problem, placement, simulation.schedule);
  if (problem.as<Concurrent>()) {
    const Schedule literal = naive::concurrent_schedule(problem, placement);
    for (const Run& run : simulation.schedule.runs) {
      const auto same = std::find_if(literal.runs.begin(), literal.runs.end(),
                                     [&](const Run& other) { return other.node == run.node; });
      REQUIRE(run.start.count() == doctest::Approx(same->start.count()).epsilon(1e-9));
    }
  }
  if (problem.objective() == Objective::kLatency)
    REQUIRE(simulation.schedule.makespan.count() == doctest::Approx(expected).epsilon(1e-9));

  const auto memory = naive::peak_memory(problem, placement, simulation.schedule);
  for (const DeviceId device : problem.devices()) {
    REQUIRE(simulation.memory[device].peak() == memory[device].peak());
    REQUIRE(simulation.memory[device] == memory[device]);
  }
  const double overflow = overflow_by_hand(problem, placement, simulation.schedule);
  REQUIRE(score.overflow == doctest::Approx(overflow).epsilon(1e-9));
  // Random placements obey allows and units, but not always the apart sets.
  const bool kept = !broken_rule(problem, placement);
  REQUIRE(simulation.feasible() == (kept && overflow == 0));
  REQUIRE(simulation.subgraphs ==
          naive::pieces(problem, placement.device_of.items(), PieceKind::kSubgraphs).size());
}

}  // namespace

TEST_CASE("random problems: Evaluator, simulate and the literal simulator agree") {
  Rng rng(41);
  for (int round = 0; round < effort(8000); ++round) {
    CAPTURE(round);
    Problem problem =
        fixtures::sometimes_limited(fixtures::random_problem(rng, {.max_nodes = 9}), rng);
    Rng of_weights(static_cast<std::uint64_t>(round));
    if (round % 3 == 0) problem = with_shared_weights(problem, of_weights);
    Evaluator evaluator(problem);
    for (int k = 0; k < 4; ++k) {
      Placement placement = fixtures::random_placement(rng, problem);
      if (k % 2 == 1) placement.order = fixtures::random_order(rng, problem.graph());
      check_everything(problem, placement, evaluator);
    }
  }
}

TEST_CASE("random problems in servers: Evaluator, simulate and the literal simulator agree") {
  Rng rng(44);
  int counted = 0;
  for (int round = 0; round < effort(3000); ++round) {
    CAPTURE(round);
    fixtures::RandomShape shape{.max_nodes = 9, .min_devices = 2, .max_devices = 5};
    if (round % 3 > 0) shape.execution = fixtures::ExecutionKind::kCall;
    const Problem problem = with_servers(fixtures::random_problem(rng, shape), rng);
    counted += problem.counts_network();
    Evaluator evaluator(problem);
    for (int k = 0; k < 4; ++k)
      check_everything(problem, fixtures::random_placement(rng, problem), evaluator);
  }
  CHECK(counted > effort(3000) / 10);
}

TEST_CASE("larger random problems: Evaluator, simulate and the literal simulator agree") {
  Rng rng(42);
  for (int round = 0; round < effort(400); ++round) {
    CAPTURE(round);
    const Problem problem = fixtures::random_problem(
        rng, {.min_nodes = 20, .max_nodes = 40, .min_devices = 2, .max_devices = 5});
    Evaluator evaluator(problem);
    for (int k = 0; k < 3; ++k)
      check_everything(problem, fixtures::random_placement(rng, problem), evaluator);
  }
}

TEST_CASE(
    "every small problem is simulated as the rules say on every single device and at random") {
  Rng rng(43);
  for (const Problem& problem : fixtures::small_problems()) {
    CAPTURE(problem.name());
    Evaluator evaluator(problem);
    for (int k = 0; k < 20; ++k)
      check_everything(problem, fixtures::random_placement(rng, problem), evaluator);
  }
}

TEST_CASE("an order that lists nodes as they started repeats the schedule") {
  Rng rng(44);
  fixtures::RandomShape shape{.max_nodes = 10};
  shape.execution = fixtures::ExecutionKind::kConcurrent;
  for (int round = 0; round < effort(300); ++round) {
    const Problem problem = fixtures::random_problem(rng, shape);
    Placement placement = fixtures::random_placement(rng, problem);
    const Simulation free = simulate(problem, placement);
    // By start, then by topological order, so that nodes without time keep their sequence.
    const auto topological = problem.graph().topological_order();
    const auto at = positions({topological.begin(), topological.end()});
    std::vector<Run> runs = free.schedule.runs;
    if (std::any_of(runs.begin(), runs.end(),
                    [](const Run& run) { return run.start == run.finish; }))
      continue;
    std::sort(runs.begin(), runs.end(), [&](const Run& a, const Run& b) {
      return std::pair(a.start, at[a.node]) < std::pair(b.start, at[b.node]);
    });
    for (const Run& run : runs) placement.order.push_back(run.node);
    CHECK(simulate(problem, placement).value == free.value);
  }
}

TEST_CASE("an Evaluator gives the same score again after other placements") {
  Rng rng(46);
  for (int round = 0; round < effort(200); ++round) {
    const Problem problem = fixtures::random_problem(rng);
    const Placement first = fixtures::random_placement(rng, problem);
    Evaluator evaluator(problem);
    const Score before = evaluator(first);
    for (int k = 0; k < 5; ++k) evaluator(fixtures::random_placement(rng, problem));
    REQUIRE(evaluator(first) == before);
    REQUIRE(evaluator(first.device_of.items()) == before);
    REQUIRE(Evaluator(problem)(first) == before);
  }
}

TEST_CASE("a node on a device that cannot run it takes forever") {
  const Problem& problem = fixtures::small_problem("unsupported-op");
  CHECK(Evaluator(problem)(placed({0, 0, 0})).value == kForever);
  const Simulation simulation = simulate(problem, placed({0, 0, 0}));
  CHECK(simulation.value == kForever);
  CHECK(simulation.broken);
}

TEST_CASE("scores compare feasibility first, then overflow, then value") {
  const Score fast_but_full{Duration{1}, 0.5}, slow{Duration{9}, 0}, slower{Duration{10}, 0};
  const Score fuller{Duration{0}, 0.7};
  CHECK(slow < fast_but_full);
  CHECK(slow < slower);
  CHECK(fast_but_full < fuller);
  CHECK_FALSE(slower < slow);
}

TEST_CASE("an evaluator tells loads where the value is the largest of them and nothing limits") {
  Rng rng(11);
  int told = 0;
  for (int i = 0; i < 200; ++i) {
    const Problem problem = fixtures::random_problem(rng);
    Evaluator evaluate(problem);
    std::vector<DeviceId> device_of(problem.node_count());
    for (const NodeId node : problem.graph().nodes())
      for (const DeviceId device : problem.devices())
        if (problem.allows(node, device)) device_of[index(node)] = device;
    const Score score = evaluate(device_of);
    const bool pieces = problem.as<InPieces>() && problem.objective() == Objective::kThroughput;
    const bool limited =
        problem.model().contiguous() || memory_rule(problem) != MemoryRule::kNeverBinds;
    CHECK(evaluate.loads().empty() == (!pieces || limited));
    if (evaluate.loads().empty()) continue;
    ++told;
    CHECK(Duration{std::ranges::max(evaluate.loads())} == score.value);
    CHECK(score.feasible());
  }
  CHECK(told > 0);
}
