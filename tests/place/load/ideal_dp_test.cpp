#include "berth/place/load/ideal_dp.h"

#include <algorithm>
#include <limits>
#include <string>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "berth/place/run_placer.h"
#include "berth/sim/evaluate.h"
#include "berth/sim/replicas.h"
#include "tests/support/brute_force.h"
#include "tests/support/changed_model.h"
#include "tests/support/effort.h"
#include "tests/support/fixtures.h"
#include "tests/support/sketch.h"

using namespace berth;

namespace {

// Parallel chains on equal accelerators, times and transfers at random.
Problem chain_bundle(std::size_t chains, std::size_t length, std::size_t accelerators, double cost,
                     std::uint64_t seed) {
  Sketch sketch(fmt::format("{} chains of {}", chains, length), accelerators + 1, 1);
  sketch.model = MaxLoad{.route = Route::kHost, .contiguous = true};
  Rng rng(seed);
  for (std::size_t chain = 0; chain < chains; ++chain) {
    NodeId last{};
    for (std::size_t i = 0; i < length; ++i) {
      std::vector<double> micros(accelerators + 1, 100 + static_cast<double>(rng.below(900)));
      micros[0] *= 10;
      const NodeId node = sketch.node(fmt::format("{}.{}", chain, i), micros);
      if (i > 0) sketch.tensor(last, static_cast<std::int64_t>(cost * rng.uniform()), {node});
      last = node;
    }
  }
  return sketch.build();
}

// The recurrence as it is written, over every pair of nested ideals of a bundle. An ideal is a
// prefix of every chain; `best[c]` has used c CPUs, devices are used up one after another.
double by_all_pairs(const Problem& problem, std::size_t chains, std::size_t length,
                    std::size_t accelerators) {
  const std::size_t radix = length + 1;
  std::size_t ideals = 1;
  for (std::size_t c = 0; c < chains; ++c) ideals *= radix;
  const auto prefix = [&](std::size_t ideal, std::size_t chain) {
    for (std::size_t c = 0; c < chain; ++c) ideal /= radix;
    return ideal % radix;
  };
  const auto node = [&](std::size_t chain, std::size_t i) {
    return static_cast<NodeId>(chain * length + i);
  };
  const Graph& graph = problem.graph();
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  // value[a][c][ideal]: a accelerators and c CPUs at most.
  std::vector<std::vector<double>> before(2, std::vector<double>(ideals, kInfinity));
  before[0][0] = before[1][0] = 0;
  double best = kInfinity;
  std::vector<double> on_acc(ideals * ideals, kInfinity), on_cpu(ideals * ideals, kInfinity);
  for (std::size_t i = 0; i < ideals; ++i)
    for (std::size_t j = 0; j < ideals; ++j) {
      double compute = 0, host = 0, moved = 0;
      bool nested = true;
      for (std::size_t c = 0; c < chains && nested; ++c) {
        const std::size_t from = prefix(j, c), to = prefix(i, c);
        nested = from <= to;
        for (std::size_t k = from; k < to; ++k) {
          compute += problem.time(node(c, k), DeviceId{1}).count();
          host += problem.time(node(c, k), DeviceId{0}).count();
        }
        const auto size = [&](std::size_t k) {
          return static_cast<double>(graph.tensor(graph.outputs(node(c, k)).front()).size.count);
        };
        if (from < to && from > 0) moved += size(from - 1);
        if (from < to && to < length) moved += size(to - 1);
      }
      if (!nested) continue;
      on_acc[i * ideals + j] = compute + moved;
      on_cpu[i * ideals + j] = host;
    }
  for (std::size_t a = 0; a <= accelerators; ++a) {
    std::vector<std::vector<double>> now = before;
    for (std::size_t i = 0; i < ideals; ++i)
      for (std::size_t j = 0; j < ideals; ++j)
        for (std::size_t c = 0; c < 2 && a > 0; ++c)
          now[c][i] = std::min(now[c][i], std::max(before[c][j], on_acc[i * ideals + j]));
    // One CPU piece may come anywhere: relax until nothing changes.
    for (std::size_t i = 0; i < ideals; ++i)
      for (std::size_t j = 0; j < ideals; ++j)
        now[1][i] = std::min(now[1][i], std::max(now[0][j], on_cpu[i * ideals + j]));
    before = now;
    best = std::min(best, before[1][ideals - 1]);
  }
  return best;
}

// Every contiguous placement, every way to make the devices left into replicas of those in use.
class ReplicaOracle {
 public:
  ReplicaOracle(const Problem& problem, std::size_t most) : problem_(problem), most_(most) {}

  std::optional<double> best() {
    Evaluator evaluator(problem_);
    brute_force(problem_, [&](const Placement& single) -> std::optional<double> {
      if (!evaluator(single).feasible()) return std::nullopt;
      for_every_replication(problem_, single, [&](const Placement& placement) {
        if (!is_considered(placement) || broken_rule(problem_, placement)) return;
        const Score score = evaluator(placement);
        if (score.feasible())
          best_ = std::min(best_.value_or(score.value.count()), score.value.count());
      });
      return std::nullopt;
    });
    return best_;
  }

 private:
  bool is_considered(const Placement& placement) const {
    return std::all_of(
        placement.replicas.begin(), placement.replicas.end(), [&](const Replica& replica) {
          return alike(replica.device, replica.of) && replica_count(placement, replica.of) <= most_;
        });
  }
  // The placer shares a stage among devices of one kind.
  bool alike(DeviceId a, DeviceId b) const {
    const Device &first = problem_.cluster().device(a), &second = problem_.cluster().device(b);
    if (first.is_host() != second.is_host() || first.memory != second.memory) return false;
    for (const NodeId node : problem_.graph().nodes())
      if (problem_.time(node, a) != problem_.time(node, b) ||
          problem_.allows(node, a) != problem_.allows(node, b))
        return false;
    for (const TensorId tensor : problem_.graph().tensors())
      if (problem_.read_from_host(tensor, a) != problem_.read_from_host(tensor, b) ||
          problem_.write_to_host(tensor, a) != problem_.write_to_host(tensor, b))
        return false;
    return true;
  }

  const Problem& problem_;
  std::size_t most_;
  std::optional<double> best_;
};

}  // namespace

TEST_CASE("ideal-dp equals brute force over contiguous splits with replicated stages") {
  Rng rng(61);
  int replicated = 0;
  for (int round = 0; round < effort(3000); ++round) {
    CAPTURE(round);
    fixtures::RandomShape shape{.max_nodes = 5};
    shape.execution = fixtures::ExecutionKind::kCall;
    shape.objective = Objective::kThroughput;
    const Problem problem =
        changed<MaxLoad>(fixtures::random_problem(rng, shape), [&](MaxLoad& load) {
          load.contiguous = true;
          if (rng.below(2) == 0)
            load.sync_bytes_per_second = 1e6 * (1 + static_cast<double>(rng.below(9)));
        });
    const std::size_t most = 2 + rng.below(2);
    const std::optional<double> best = ReplicaOracle(problem, most).best();
    const Result result = run_placer(fmt::format("ideal-dp(replicas={})", most), problem);
    REQUIRE(result.placement.has_value() == best.has_value());
    if (!best) continue;
    CHECK(result.proven_optimal);
    REQUIRE(result.simulation->value.count() == doctest::Approx(*best).epsilon(1e-9));
    replicated += !result.placement->replicas.empty();
    const Result linear = run_placer(fmt::format("linear-dp(replicas={})", most), problem);
    if (linear.placement) REQUIRE(linear.simulation->value.count() >= *best * (1 - 1e-9));
  }
  CHECK(replicated > effort(3000) / 30);
}

TEST_CASE("ideal-dp equals the recurrence over all pairs of ideals of parallel chains") {
  for (std::uint64_t seed = 1; seed <= static_cast<std::uint64_t>(effort(12)); ++seed)
    for (const double cost : {0.0, 100.0, 800.0}) {
      CAPTURE(seed);
      CAPTURE(cost);
      const Problem problem = chain_bundle(3, 4, 3, cost, seed);
      const Result result = run_placer("ideal-dp", problem);
      REQUIRE(result.placement);
      CHECK(result.proven_optimal);
      CHECK(result.simulation->value.count() ==
            doctest::Approx(by_all_pairs(problem, 3, 4, 3)).epsilon(1e-9));
    }
}

TEST_CASE("ideal-dp proves four chains of six, whatever the threads, no worse than linear orders") {
  for (const double cost : {0.0, 60.0, 400.0}) {
    CAPTURE(cost);
    const Problem problem = chain_bundle(4, 6, 4, cost, 7);
    const Result one = run_placer("ideal-dp(threads=1)", problem);
    const Result three = run_placer("ideal-dp(threads=3)", problem);
    REQUIRE(one.placement);
    CHECK(one.proven_optimal);
    CHECK(one.placement == three.placement);
    CHECK(one.lower_bound == three.lower_bound);
    const Result linear = run_placer("linear-dp(orders=200)", problem);
    CHECK(one.simulation->value <= linear.simulation->value * (1 + 1e-9));
  }
}

TEST_CASE("with too many ideals to hold, ideal-dp says so, keeps a bound and proves nothing") {
  // 7^12 ideals; a table of one megabyte holds some ten thousand.
  const Problem problem = chain_bundle(12, 6, 4, 300, 3);
  Budget budget({.seconds = {}, .evaluations = 43});
  const Result result = run_placer("ideal-dp(memory_mb=1)", problem, 1, budget);
  REQUIRE(result.placement);
  CHECK_FALSE(result.proven_optimal);
  REQUIRE(result.lower_bound);
  CHECK(*result.lower_bound > Duration{0});
  CHECK(*result.lower_bound < result.simulation->value);
  REQUIRE(result.warnings.size() == 1);
  CHECK(result.warnings[0].find("ideals, which memory_mb=1 cannot hold") != std::string::npos);
}

TEST_CASE(
    "devices that all differ are too many combinations, said in one sentence by each program") {
  Sketch sketch("unequal", 24, 1);
  NodeId last = NodeId{0};
  for (int i = 0; i < 10; ++i) {
    std::vector<double> micros;
    for (int d = 0; d < 24; ++d) micros.push_back(10.0 + i + d);
    const NodeId node = sketch.node(std::string("n").append(std::to_string(i)), micros);
    if (i > 0) sketch.tensor(last, 1, {node});
    last = node;
  }
  sketch.model = MaxLoad{.route = Route::kHost};
  const Problem problem = sketch.build();
  for (const char* spec : {"ideal-dp", "linear-dp", "pipedream"}) {
    CAPTURE(spec);
    const Result result = run_placer(spec, problem);
    CHECK_FALSE(result.placement);
    CHECK(result.reason.find("the devices differ in 24 ways") != std::string::npos);
  }
  CHECK(run_placer("greedy", problem).placement);
}
