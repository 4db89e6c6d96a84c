#include "berth/place/latency/latency_bound.h"

#include <string>

#include <doctest/doctest.h>

#include "berth/io/read_problem.h"
#include "berth/place/run_placer.h"
#include "berth/solvers/milp.h"
#include "tests/support/brute_force.h"
#include "tests/support/effort.h"
#include "tests/support/fixtures.h"
#include "tests/support/shared_data.h"
#include "tests/support/sketch.h"

using namespace berth;

namespace {

Problem call_latency(const Problem& problem, int pieces) {
  return problem.with_model(CallLatency{.pieces = pieces});
}

bool no_solver() {
  if (milp_available()) return false;
  MESSAGE("skipped: this build has no HiGHS");
  return true;
}

}  // namespace

TEST_CASE("the bound sees a cut that memory forces and a path does not") {
  // a -> b, one node fits the accelerator; the CPU takes 10 for a node, the accelerator 1, and the
  // transfer 3. Both nodes cannot share the accelerator: the least is (1 + 3) + 10 = 14, or 10 + (3
  // + 1). The path alone would go 1 + 1 on the accelerator.
  if (no_solver()) return;
  Sketch sketch("forced", 2, 1);
  sketch.model = CallLatency{};
  const NodeId a = sketch.node("a", {10, 1}), b = sketch.node("b", {10, 1});
  sketch.at(a).weights = sketch.at(b).weights = Bytes{1};
  sketch.tensor(a, 3, {b});
  sketch.set_memory(1, 1);
  const Problem problem = sketch.build();
  Budget budget;
  const LatencyBound found =
      latency_bound(problem, on_one_device(problem, DeviceId{0}), {}, budget);
  REQUIRE(found.value);
  CHECK(found.value->count() == doctest::Approx(14));
  CHECK(found.score.value.count() == doctest::Approx(14));
}

TEST_CASE("the latency bound never exceeds the optimum, with one piece or two per accelerator") {
  if (no_solver()) return;
  Rng rng(71);
  int solved = 0, tight = 0;
  for (int round = 0; round < effort(1500); ++round) {
    CAPTURE(round);
    fixtures::RandomShape shape{.max_nodes = 7, .min_devices = 2};
    shape.execution = fixtures::ExecutionKind::kCall;
    shape.training = false;
    const Problem problem =
        call_latency(fixtures::random_problem(rng, shape), 1 + static_cast<int>(rng.below(2)));
    Evaluator evaluator(problem);
    std::optional<Placement> any;
    const BruteForce best =
        brute_force(problem, [&](const Placement& placement) -> std::optional<double> {
          const Score score = evaluator(placement);
          if (!score.feasible()) return std::nullopt;
          if (!any || rng.below(4) == 0) any = placement;
          return score.value.count();
        });
    if (!any) continue;
    Budget budget;
    const LatencyBound found = latency_bound(problem, *any, {.rounds = 30}, budget);
    REQUIRE(found.value);
    REQUIRE(found.value->count() <= *best.best * (1 + 1e-9) + 1e-9);
    REQUIRE(found.score.feasible());
    REQUIRE_FALSE(broken_rule(problem, found.best));
    REQUIRE(found.score.value.count() >= *best.best * (1 - 1e-9));
    if (problem.as<CallLatency>()->pieces > 1) continue;
    ++solved;
    tight += found.value->count() >= *best.best * (1 - 1e-6);
  }
  CHECK(solved > effort(300));
  // Overlap that pure splits cannot reach at once leaves a gap now and then.
  MESSAGE("tight on " << tight << " of " << solved);
  CHECK(tight > solved / 2);
}

TEST_CASE("the latency bound proves the optimum of ResNet-50 and of two BERT inputs") {
  if (no_solver()) return;
  const struct {
    const char* input;
    double value_ms;
  } rows[] = {{"LayerGraphs/bert24_inference", 100.2185},
              {"OperatorGraphs/bert_l-3_inference", 408.474408},
              {"OperatorGraphs/resnet50_inference", 651.120759}};
  for (const auto& row : rows) {
    CAPTURE(std::string(row.input));
    const auto path =
        shared_data("dnn-partitioning/latency-inputs/" + std::string(row.input) + ".json");
    if (!path) return;
    const Problem problem = call_latency(read_problem(*path), 1);
    const Result start = run_placer("latency-dp", problem);
    REQUIRE(start.placement);
    Budget budget;
    const LatencyBound found = latency_bound(problem, *start.placement, {}, budget);
    REQUIRE(found.value);
    CHECK(in_milliseconds(found.score.value) == doctest::Approx(row.value_ms).epsilon(1e-8));
    CHECK(in_milliseconds(*found.value) == doctest::Approx(row.value_ms).epsilon(1e-6));
  }
}
