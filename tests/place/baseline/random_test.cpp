#include "berth/place/baseline/random.h"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "berth/base/error.h"
#include "berth/place/registry.h"
#include "berth/sim/evaluate.h"
#include "tests/support/brute_force.h"
#include "tests/support/fixtures.h"
#include "tests/support/sketch.h"

using namespace berth;

namespace {

Outcome draw(const Problem& problem, RandomOptions options, Budget& budget,
             std::uint64_t seed = 1) {
  Rng rng(seed);
  return run_method([&](const Context& context) { random_placements(context, options); }, "random",
                    problem, budget, rng);
}

Outcome draw(const Problem& problem, RandomOptions options) {
  Budget budget;
  return draw(problem, options, budget);
}

}  // namespace

TEST_CASE("enough samples find the optimum of a tiny problem") {
  const Problem& problem = fixtures::small_problem("fork-join");
  Evaluator evaluate(problem);
  const BruteForce all = brute_force(problem, [&](const Placement& placement) {
    const Score score = evaluate(placement);
    return score.feasible() ? std::optional(score.value.count()) : std::nullopt;
  });
  for (const RandomBias bias : {RandomBias::kDirichlet, RandomBias::kUniform}) {
    const Outcome outcome = draw(problem, {.samples = 3000, .bias = bias});
    REQUIRE(outcome.placement);
    CHECK(evaluate(*outcome.placement).value.count() == doctest::Approx(*all.best));
  }
}

TEST_CASE("with parsed groups every node shares its device with a neighbour, unless it may not") {
  // a -> b: one edge, one group. Split they take 2, together 11 or 101.
  Sketch sketch("pair", 2);
  const NodeId a = sketch.node("a", {1, 10}), b = sketch.node("b", {100, 1});
  sketch.tensor(a, 0, {b});
  const RandomOptions options{.samples = 50, .unit = RandomUnit::kParsing};
  CHECK(draw(sketch.build(), options).placement->device_of == placed({1, 1}).device_of);
  sketch.constraints.forbid = {{b, DeviceId{1}}};
  CHECK(draw(sketch.build(), options).placement->device_of == placed({0, 0}).device_of);
  sketch.constraints.pin = {{a, DeviceId{1}}};
  CHECK(draw(sketch.build(), options).placement->device_of == placed({1, 0}).device_of);
}

TEST_CASE("shares from the Dirichlet distribution come near a single device, equal shares do not") {
  // 40 nodes in a chain, every crossing costs 100: only few devices changes are any good.
  Sketch sketch("chain", 4);
  for (int i = 0; i < 40; ++i) sketch.node(fmt::format("n{}", i), {1, 1, 1, 1});
  for (std::uint32_t i = 0; i + 1 < 40; ++i) sketch.tensor(NodeId{i}, 100, {NodeId{i + 1}});
  const Problem problem = sketch.build();
  Evaluator evaluate(problem);
  const auto best = [&](RandomBias bias) {
    return evaluate(*draw(problem, {.samples = 500, .unit = RandomUnit::kColocation, .bias = bias})
                         .placement)
        .value;
  };
  CHECK(best(RandomBias::kDirichlet) * 3 < best(RandomBias::kUniform));
}

TEST_CASE("samples that overflow are repaired once, and both count") {
  // Two units of 6 in two devices of 10: half of the samples put both on one device and are
  // repaired.
  Sketch sketch("memory", 2);
  for (const char* name : {"a", "b"}) sketch.at(sketch.node(name, {1, 1})).weights = Bytes{6};
  sketch.set_memory(0, 10);
  sketch.set_memory(1, 10);
  const Problem problem = sketch.build();
  Budget budget;
  for (std::uint64_t seed = 1; seed <= 8; ++seed)  // every first sample ends feasible
    CHECK(draw(problem, {.samples = 1}, budget, seed).placement);
  CHECK(budget.evaluations() > 8);
}

TEST_CASE("nothing fits: no placement, and how many were drawn") {
  Sketch sketch("none", 1);
  sketch.at(sketch.node("a", {1})).weights = Bytes{6};
  sketch.set_memory(0, 5);
  const Outcome outcome = draw(sketch.build(), {.samples = 7});
  CHECK(!outcome.placement);
  CHECK(outcome.reason == "none of 7 random placements is feasible");
}

TEST_CASE("the budget ends the drawing") {
  const Problem& problem = fixtures::small_problem("fork-join");
  Budget budget({.seconds = std::nullopt, .evaluations = 5});
  CHECK(draw(problem, {.samples = 1000}, budget).placement);
  CHECK(budget.evaluations() == 5);
}

TEST_CASE("a sample is not repaired beyond the budget") {
  // One unit of 6 for each of two devices of 10, as above: half of the samples want a repair.
  Sketch sketch("memory", 2);
  for (const char* name : {"a", "b"}) sketch.at(sketch.node(name, {1, 1})).weights = Bytes{6};
  sketch.set_memory(0, 10);
  sketch.set_memory(1, 10);
  const Problem problem = sketch.build();
  for (std::uint64_t evaluations = 1; evaluations <= 8; ++evaluations)
    for (std::uint64_t seed = 1; seed <= 8; ++seed) {
      Budget budget({.seconds = std::nullopt, .evaluations = evaluations});
      draw(problem, {.samples = 1000}, budget, seed);
      CHECK(budget.evaluations() == evaluations);
    }
}

TEST_CASE("at least one sample must be asked for") {
  CHECK_THROWS_WITH_AS(make_method("random(samples=0)"), "random(samples=0): expected at least 1",
                       Error);
}
