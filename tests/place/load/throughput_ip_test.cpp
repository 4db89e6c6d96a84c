// throughput-ip equals brute force on tiny problems with every feature, and the published optima.
#include <cmath>
#include <optional>
#include <string>

#include <doctest/doctest.h>

#include "berth/io/read_problem.h"
#include "berth/place/load/load_program.h"
#include "berth/place/run_placer.h"
#include "berth/sim/evaluate.h"
#include "berth/solvers/milp.h"
#include "tests/support/brute_force.h"
#include "tests/support/changed_model.h"
#include "tests/support/effort.h"
#include "tests/support/fixtures.h"
#include "tests/support/shared_data.h"
#include "tests/support/sketch.h"

using namespace berth;

namespace {

BruteForce optimum(const Problem& problem) {
  Evaluator evaluator(problem);
  return brute_force(problem, [&](const Placement& placement) -> std::optional<double> {
    const Score score = evaluator(placement);
    if (!score.feasible()) return std::nullopt;
    return score.value.count();
  });
}

// A throughput problem of the call model with the given rules, everything else drawn.
Problem draw(Rng& rng, Overlap overlap, TrainingSchedule schedule, bool contiguous) {
  fixtures::RandomShape shape{.min_nodes = 2, .max_nodes = 7, .min_devices = 2};
  shape.execution = fixtures::ExecutionKind::kCall;
  shape.objective = Objective::kThroughput;
  if (schedule == TrainingSchedule::kGPipe) shape.training = true;
  return changed<MaxLoad>(fixtures::random_problem(rng, shape), [&](MaxLoad& load) {
    load.overlap = overlap;
    load.training = schedule;
    load.contiguous = contiguous;
  });
}

double relaxed(MilpModel milp) {
  for (std::size_t v = 0; v < milp.variable_count(); ++v)
    milp.variable(static_cast<VariableId>(v)).integer = false;
  return solve(milp).objective;
}

void check_equals_brute_force(const std::string& spec, const Problem& problem) {
  const BruteForce best = optimum(problem);
  const Result result = run_placer(spec, problem);
  REQUIRE(result.placement.has_value() == best.best.has_value());
  if (!best.best) {
    REQUIRE_FALSE(result.reason.empty());
    return;
  }
  CAPTURE(*best.best);
  CAPTURE(result.lower_bound ? result.lower_bound->count() : -1.0);
  REQUIRE(result.simulation->value.count() == doctest::Approx(*best.best).epsilon(2e-6));
  REQUIRE(result.proven_optimal);
}

void check_rounds(std::uint64_t seed, int rounds, TrainingSchedule schedule, bool contiguous) {
  if (!milp_available()) {
    MESSAGE("skipped: this build has no integer-program solver");
    return;
  }
  Rng rng(seed);
  constexpr Overlap kOverlaps[] = {Overlap::kSum, Overlap::kSum, Overlap::kMax, Overlap::kDuplex};
  for (int round = 0; round < rounds; ++round) {
    CAPTURE(round);
    const Problem problem = draw(rng, kOverlaps[round % 4], schedule, contiguous);
    // Few steps of annealing: the program has to find the optimum itself.
    check_equals_brute_force("throughput-ip(steps=20)", problem);
  }
}

}  // namespace

TEST_CASE("throughput-ip equals brute force: memory, constraints, kinds of devices, overlaps") {
  check_rounds(61, effort(600), TrainingSchedule::k1F1B, false);
}

TEST_CASE("throughput-ip equals brute force with forward and backward maxima apart (GPipe)") {
  check_rounds(62, effort(300), TrainingSchedule::kGPipe, false);
}

TEST_CASE("throughput-ip equals brute force among contiguous splits, by the chain form") {
  check_rounds(64, effort(400), TrainingSchedule::k1F1B, true);
  check_rounds(65, effort(150), TrainingSchedule::kGPipe, true);
}

TEST_CASE("the program of a known split has the split's own load as its value") {
  if (!milp_available()) {
    MESSAGE("skipped: this build has no integer-program solver");
    return;
  }
  Rng rng(63);
  for (int round = 0; round < effort(120); ++round) {
    CAPTURE(round);
    const Problem problem = draw(rng, round % 2 == 0 ? Overlap::kSum : Overlap::kDuplex,
                                 TrainingSchedule::k1F1B, false);
    const LoadModel model = load_model(problem, {.ordered = false});
    const Placement placement = fixtures::random_placement(rng, problem);
    if (broken_rule(problem, placement) || !Evaluator(problem)(placement).feasible()) continue;
    const SlotOfUnit slot_of = slots_of_placement(model, placement);
    const double value = Evaluator(problem)(placement).value.count();
    REQUIRE(value_of_slots(model, slot_of) == doctest::Approx(value));
    REQUIRE(placement_of_slots(problem, model, slot_of) == placement);
    // All units but one are fixed, and the one that is free is put where it was.
    LoadProgramOptions options;
    options.fixed = slot_of;
    const std::size_t free = rng.below(slot_of.size());
    options.fixed[free] = kFreeUnit;
    LoadProgram program = load_program(model, options);
    for (std::size_t slot = 0; slot < program.slots; ++slot)
      if (const auto& x = program.x[free * program.slots + slot]; x && slot != slot_of[free])
        program.milp.variable(*x).upper = 0;
    const MilpSolution solution = solve(program.milp);
    REQUIRE(solution.status == MilpStatus::kOptimal);
    REQUIRE(solution.objective == doctest::Approx(value).epsilon(1e-5));
    REQUIRE(program.read(solution.values.items()) == slot_of);
  }
}

TEST_CASE("rows of forced cuts leave the optimum alone and never loosen the relaxation") {
  if (!milp_available()) {
    MESSAGE("skipped: this build has no integer-program solver");
    return;
  }
  Rng rng(66);
  int compared = 0;
  for (int round = 0; round < effort(150); ++round) {
    CAPTURE(round);
    const Problem problem = draw(rng, Overlap::kSum, TrainingSchedule::k1F1B, false);
    const BruteForce best = optimum(problem);
    if (!best.best || *best.best <= 0) continue;
    const LoadModel model = load_model(problem, {.ordered = false});
    LoadProgramOptions options{.limit = *best.best * 1.1, .scale = *best.best / 1000};
    const LoadProgram plain = load_program(model, options);
    Budget budget;
    const PiecePrices cuts = price_pieces(model, options.limit, {}, 8, budget);
    REQUIRE(cuts.bound <= *best.best * (1 + 1e-9));
    options.forced = cuts.rows;
    if (options.forced.empty()) continue;
    const LoadProgram program = load_program(model, options);
    REQUIRE(solve(program.milp).objective == doctest::Approx(1000).epsilon(1e-5));
    REQUIRE(relaxed(program.milp) >= relaxed(plain.milp) - 1e-3);
    ++compared;
  }
  CHECK(compared > 0);
}

TEST_CASE("on a path the rows of forced cuts close the gap of the relaxation") {
  if (!milp_available()) {
    MESSAGE("skipped: this build has no integer-program solver");
    return;
  }
  // Four units of 10 in a row, nets of 1, two accelerators: the best is two units each and one
  // cut, 21. The plain relaxation shares units out and pays for a part of a cut only.
  Sketch sketch("path", 3, 1);
  NodeId node[4];
  for (int i = 0; i < 4; ++i) node[i] = sketch.node("n" + std::to_string(i), {kNever, 10, 10});
  for (int i = 0; i < 3; ++i) sketch.tensor(node[i], 1, {node[i + 1]});
  sketch.model = MaxLoad{.route = Route::kHost};
  const LoadModel model = load_model(sketch.build(), {.ordered = false});
  LoadProgramOptions options{.limit = 22};
  const double plain = relaxed(load_program(model, options).milp);
  Budget budget;
  options.forced = price_pieces(model, options.limit, {}, 20, budget).rows;
  CHECK(plain < 20.9);
  CHECK(relaxed(load_program(model, options).milp) == doctest::Approx(21).epsilon(1e-4));
}

TEST_CASE("throughput-ip proves the published optimum of three-layer BERT") {
  if (!milp_available()) {
    MESSAGE("skipped: this build has no integer-program solver");
    return;
  }
  const struct {
    const char* file;
    double milliseconds;
  } published[] = {{"bert_l-3_inference.json", 21.908376}, {"bert_l-3_training.json", 54.207399}};
  for (const auto& [file, milliseconds] : published) {
    CAPTURE(std::string(file));
    const auto path =
        shared_data(std::string("dnn-partitioning/throughput-inputs/OperatorGraphs/") + file);
    if (!path) return;
    const Problem problem = read_problem(*path);
    const Result result = run_placer("throughput-ip(steps=20000)", problem);
    REQUIRE(result.placement);
    CHECK(in_milliseconds(result.simulation->value) == doctest::Approx(milliseconds).epsilon(1e-6));
    CHECK(result.proven_optimal);
  }
}

TEST_CASE("under a time limit proof and search run side by side, and meet in one incumbent") {
  if (!milp_available()) return;
  // Twenty-four nodes on four equal accelerators: too much for the quick try, so that two threads
  // run.
  Rng rng(77);
  fixtures::RandomShape shape{.min_nodes = 24, .max_nodes = 24, .min_devices = 5, .max_devices = 5};
  shape.execution = fixtures::ExecutionKind::kCall;
  shape.objective = Objective::kThroughput;
  shape.training = false;
  shape.memory_limits = false;
  shape.constraints = false;
  const Problem problem = changed<MaxLoad>(fixtures::random_problem(rng, shape),
                                           [](MaxLoad& load) { load.contiguous = false; });
  Budget budget({.seconds = 1.5, .evaluations = {}});
  const Result result = run_placer("throughput-ip(threads=2)", problem, 1, budget);
  REQUIRE(result.placement);
  CHECK(result.contradictions.empty());
  CHECK(*result.lower_bound <= result.simulation->value);
}
