// What coloc-rl and hdp have in common: one seed, one training; the right sign; masks; budgets.
#include "berth/modules/build_config.h"

#if BERTH_HAS_TORCH

#include <algorithm>
#include <array>
#include <atomic>
#include <string>

#include <fmt/format.h>

#include "berth/base/error.h"
#include "berth/learn/torch/learners.h"
#include "berth/learn/torch/reinforce.h"
#include "berth/learn/train.h"
#include "berth/place/registry.h"
#include "berth/place/run_placer.h"
#include "tests/learn/torch/check_gradients.h"
#include "tests/support/scratch.h"
#include "tests/support/sketch.h"

namespace berth {
namespace {

constexpr std::array kMethods{"coloc-rl", "hdp"};
constexpr const char* kSmall = "hidden=16,attention=8";

// `count` nodes in a row; the second device takes a third of the time, the third does not run the
// odd ones.
Problem row_of(int count) {
  Sketch sketch("row", 3, 1);
  NodeId last = sketch.node("n0", {3, 1, 3});
  for (int i = 1; i < count; ++i) {
    const NodeId node = sketch.node(fmt::format("n{}", i), {3, 1, i % 2 == 0 ? 3 : kNever});
    sketch.at(node).op_type = i % 3 == 0 ? "MatMul" : "Add";
    sketch.tensor(last, 10, {node});
    last = node;
  }
  sketch.set_links(1, 0.01);
  return sketch.build();
}

Outcome run(const std::string& spec, const Problem& problem, Budget& budget) {
  return run_method(spec, problem, budget, Rng(1));
}
Outcome run(const std::string& spec, const Problem& problem) {
  Budget budget;
  return run(spec, problem, budget);
}

std::unique_ptr<Learner> small_learner(const std::string& method, const Task& task) {
  if (method == "hdp") {
    HdpOptions options;
    options.hidden = 16;
    options.rate = 1e-2;
    return make_hdp(options, task, 7);
  }
  ColocRlOptions options;
  options.hidden = 16;
  options.rate = 1e-2;
  return make_coloc_rl(options, task, 7);
}

// The share of sets that 200 placements put on a device.
double share_of(Learner& learner, const Task& task, std::uint32_t device) {
  double there = 0, all = 0;
  for (const SetDevices& devices : learner.propose(task, 200, 0, Rng(99)).placements) {
    there += static_cast<double>(std::count(devices.begin(), devices.end(), device));
    all += static_cast<double>(devices.size());
  }
  return there / all;
}

TEST_CASE("the policy comes to prefer the device that is faster, and leaves the slower ones") {
  for (const char* method : kMethods) {
    CAPTURE(method);
    Task task(row_of(12), Colocation::kUnits, 1);
    const auto learner = small_learner(method, task);
    const double fast = share_of(*learner, task, 1), slow = share_of(*learner, task, 0);
    Budget budget;
    train(*learner, {&task, 1}, {.updates = 60, .rollouts = 16, .refine = 0}, budget, Rng(1));
    CHECK(share_of(*learner, task, 1) > fast + 0.2);
    CHECK(share_of(*learner, task, 0) < slow);
  }
}

TEST_CASE("no set is ever proposed for a device that does not run it") {
  for (const char* method : kMethods) {
    CAPTURE(method);
    Task task(row_of(9), Colocation::kUnits, 1);
    const auto learner = small_learner(method, task);
    for (const SetDevices& devices : learner->propose(task, 300, 0, Rng(5)).placements)
      for (std::uint32_t set = 0; set < task.graph.size(); ++set)
        REQUIRE(task.graph.may_use(set, devices[set]));
  }
}

TEST_CASE("as many placements are proposed as are asked for, all of them drawn at once") {
  for (const char* method : kMethods) {
    CAPTURE(method);
    Task task(row_of(9), Colocation::kUnits, 1);
    const auto learner = small_learner(method, task);
    for (const std::size_t count : {1, 4, 7})
      CHECK(learner->propose(task, count, 0, Rng(5)).placements.size() == count);
  }
}

TEST_CASE("one seed gives one training, another seed another") {
  const Problem problem = row_of(9);
  for (const char* method : kMethods) {
    const std::string spec = fmt::format("{}({},updates=3,rollouts=6)", method, kSmall);
    CAPTURE(spec);
    const Outcome first = run(spec, problem);
    CHECK(first == run(spec, problem));
    CHECK(first.placement);
    REQUIRE(first.curve.size() == 3);
    CHECK(first.curve.back().evaluations == 18);
    Budget budget;
    const bool same = first.curve == run_method(spec, problem, budget, Rng(2)).curve;
    CHECK_FALSE(same);
  }
}

TEST_CASE("training from a checkpoint ends where an uninterrupted one ends") {
  const Problem problem = row_of(9);
  const Scratch scratch;
  const std::string file = (scratch.path() / "checkpoint").string();
  for (const char* method : kMethods) {
    CAPTURE(method);
    const std::string options = fmt::format("{}({},rate=0.01,updates=6,rollouts=8", method, kSmall);
    const Outcome whole = run(options + ")", problem);
    std::atomic<bool> stop{false};
    Budget interrupted({}, &stop, [&](const Progress& progress) {
      if (progress.phase.starts_with("update 3 ")) stop = true;
    });
    REQUIRE(run(options + ",checkpoint=" + file + ")", problem, interrupted).curve.size() == 3);
    CHECK(run(options + ",resume=" + file + ")", problem) == whole);
  }
}

TEST_CASE("options that mean nothing are mistakes") {
  for (const char* method : kMethods)
    for (const char* option :
         {"hidden=0", "attention=0", "temperature=0", "rate=0", "decay=2", "groups=0"})
      CHECK_THROWS_WITH_AS(make_method(fmt::format("{}({})", method, option)),
                           doctest::Contains("expected"), Error);
}

TEST_CASE("the median of three trainings beats random placements at equal evaluations") {
  // One device is fastest for all; shares drawn at random leave some of the 200 nodes elsewhere.
  const Problem problem = row_of(200);
  const auto median = [&](const std::string& spec) {
    std::vector<Duration> values;
    for (std::uint64_t seed = 1; seed <= 3; ++seed) {
      Budget budget({.seconds = {}, .evaluations = 600});
      const Result result = run_placer(spec, problem, seed, budget);
      REQUIRE(result.simulation);
      values.push_back(result.simulation->value);
    }
    std::sort(values.begin(), values.end());
    return values[1].count();
  };
  const double random = median("random");
  for (const char* method : kMethods) {
    CAPTURE(method);
    CHECK(median(fmt::format("{}(hidden=32,attention=16,groups=40,rate=0.01)", method)) < random);
  }
}

}  // namespace
}  // namespace berth

#endif
