#include "berth/learn/post/measured_stage.h"

#include <memory>
#include <set>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "berth/base/error.h"
#include "berth/learn/post/learner.h"
#include "berth/place/run_placer.h"
#include "tests/support/sketch.h"

namespace berth {
namespace {

// A chain of twelve, whose halves are faster on the first and on the second device.
Problem two_halves(double second_half_on_second) {
  Sketch sketch("halves", 2);
  NodeId last{};
  for (int i = 0; i < 12; ++i) {
    const bool front = i < 6;
    const NodeId node = sketch.node(fmt::format("n{}", i),
                                    {front ? 2.0 : 4.0, front ? 8.0 : second_half_on_second});
    if (i > 0) sketch.tensor(last, 3, {node});
    last = node;
  }
  sketch.model = Sequential{};
  return sketch.build();
}

// Runs placements as `truth` says, with noise of so much.
Meter machine(const Problem& truth, double noise) {
  auto evaluator = std::make_shared<Evaluator>(truth);
  auto rng = std::make_shared<Rng>(5);
  return [=](const Placement& placement) {
    return (*evaluator)(placement).value * (1 + noise * rng->normal());
  };
}

MeasuredStage small_stage() {
  MeasuredStage stage;
  stage.loop.refit_after = 48;
  stage.loop.refit = {.share = 0.2, .smoothing = 0.7, .mixing = 1.0 / 12};
  return stage;
}

TEST_CASE("real runs move the table from what the simulator believes to what is true") {
  // Simulated: the second half on the second device takes 1 us a node. In truth it takes 9.
  const Problem believed = two_halves(1), truth = two_halves(9);
  Task task(believed, Colocation::kUnits, 8);
  Budget simulating;
  task.score({{0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1}}, simulating);
  PostLearner learner(task, read_options<PostOptions>(parse_spec("post")));
  learner.prepare(task, simulating, Rng(1));
  REQUIRE(learner.loop().best().front().devices ==
          std::vector<std::uint32_t>{0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1});
  for (const double noise : {0.0, 0.05}) {
    CAPTURE(noise);
    Budget budget;
    budget.set_meter(machine(truth, noise));
    const std::vector<SetDevices> ran =
        measured_stage(task, learner.groups(), learner.loop(), small_stage(), budget, Rng(1));
    // Six runs against itself, and at most a pair for each sample.
    CHECK(budget.measurements() <= 2 * (6 + 240 + 12));
    REQUIRE_FALSE(ran.empty());
    CHECK(std::set<SetDevices>(ran.begin(), ran.end()).size() == ran.size());
    CHECK(ran.front() == SetDevices(12, 0));
  }
}

TEST_CASE("what a device refuses, and what does not fit, is never among the best") {
  const Problem problem = two_halves(1);
  Task task(problem, Colocation::kUnits, 8);
  Budget budget;
  task.score({SetDevices(12, 0)}, budget);
  PostLearner learner(task, read_options<PostOptions>(parse_spec("post")));
  learner.prepare(task, budget, Rng(1));
  Evaluator evaluator(problem);
  budget.set_meter([&](const Placement& placement) {
    if (placement.device_of[NodeId{0}] == DeviceId{1}) throw Error("refused");
    return evaluator(placement).value;
  });
  const std::vector<SetDevices> ran =
      measured_stage(task, learner.groups(), learner.loop(), small_stage(), budget, Rng(1));
  REQUIRE_FALSE(ran.empty());
  for (const SetDevices& devices : ran) CHECK(devices[0] == 0);
}

TEST_CASE("the stage ends with the time, and without anything that fits does nothing") {
  Task task(two_halves(1), Colocation::kUnits, 8);
  PostLearner learner(task, read_options<PostOptions>(parse_spec("post")));
  Budget none;
  none.set_meter([](const Placement&) { return Duration{1}; });
  CHECK(
      measured_stage(task, learner.groups(), learner.loop(), small_stage(), none, Rng(1)).empty());
  CHECK(none.measurements() == 0);

  Budget spent({.seconds = 0.0, .evaluations = {}});
  spent.set_meter([](const Placement&) { return Duration{1}; });
  task.score({SetDevices(12, 0)}, none);
  CHECK(
      measured_stage(task, learner.groups(), learner.loop(), small_stage(), spent, Rng(1)).empty());
}

TEST_CASE("as a method, real runs decide and are never worse than a single device") {
  const Problem believed = two_halves(1), truth = two_halves(9);
  Evaluator evaluator(truth);
  Budget budget;
  budget.set_meter([&](const Placement& placement) { return evaluator(placement).value; });
  const Result result = run_placer("post(stage=measure,updates=8)", believed, 1, budget);
  REQUIRE(result.placement);
  REQUIRE(result.measured);
  CHECK(*result.measured == evaluator(*result.placement).value);
  for (const DeviceId device : believed.devices())
    CHECK(*result.measured <= evaluator(on_one_device(believed, device)).value);
}

}  // namespace
}  // namespace berth
