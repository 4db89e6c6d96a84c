#include "berth/learn/post/learner.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "berth/base/error.h"
#include "berth/learn/train.h"
#include "berth/place/registry.h"
#include "berth/place/run_placer.h"
#include "tests/support/brute_force.h"
#include "tests/support/effort.h"
#include "tests/support/fixtures.h"
#include "tests/support/scratch.h"
#include "tests/support/sketch.h"

namespace berth {
namespace {

PostOptions options_of(const std::string& spec) {
  return read_options<PostOptions>(parse_spec(spec));
}

// Two free nodes; the second does not run on the last of three devices.
Problem pair_of_nodes() {
  Sketch sketch("pair", 3);
  const NodeId a = sketch.node("a", {4, 2, 8}), b = sketch.node("b", {2, 4, kNever});
  sketch.tensor(a, 1, {b});
  return sketch.build();
}

// A chain whose nodes prefer devices in turn: enough to learn for a while.
Problem long_chain(int nodes, const ExecutionModel& model = Sequential{}) {
  Sketch sketch("long", 3);
  sketch.set_links(1, 0.1);
  NodeId last{};
  for (int i = 0; i < nodes; ++i) {
    std::vector<double> micros(3, 6.0);
    micros[static_cast<std::size_t>(i / 4 % 3)] = 2;
    const NodeId node = sketch.node(fmt::format("n{}", i), micros);
    if (i > 0) sketch.tensor(last, 1 + i % 5, {node});
    last = node;
  }
  sketch.model = model;
  return sketch.build();
}

TEST_CASE("without seeds the table starts uniform, with them halfway to what they do") {
  Task task(pair_of_nodes(), Colocation::kUnits, 4);
  Budget budget;
  PostLearner learner(task, options_of("post"));
  learner.prepare(task, budget, Rng(1));
  CHECK(learner.loop().table().entropy_share() == doctest::Approx(1));
  CHECK(learner.loop().best().empty());

  // Two seeds: a on the second device in both, b once on each of the first two.
  task.score({{1, 0}, {1, 1}}, budget);
  learner.prepare(task, budget, Rng(1));
  const std::vector<double>& u = learner.loop().table().probabilities();
  CHECK(u[0] == doctest::Approx(0.5 / 3));
  CHECK(u[1] == doctest::Approx(0.5 + 0.5 / 3));
  CHECK(u[3] == doctest::Approx(0.5));
  CHECK(u[5] == 0);
  // They and the single devices are the first samples.
  CHECK(learner.loop().best().size() == 4);
}

TEST_CASE("a placement that does not fit pushes the table away, however short its time") {
  Task task(pair_of_nodes(), Colocation::kUnits, 4);
  PostLearner learner(task, options_of("post(restart=false)"));
  const std::vector<Scored> samples{{{0, 0}, {.value = Duration{10}, .overflow = 0}},
                                    {{1, 0}, {.value = Duration{1}, .overflow = 0.5}},
                                    {{2, 0}, {.value = kForever, .overflow = 0}}};
  const Metrics metrics = learner.learn(task, samples, 0, Rng(1));
  CHECK(learner.loop().table().probabilities()[0] > 1.0 / 3);
  CHECK(learner.loop().table().probabilities()[1] < 1.0 / 3);
  CHECK(learner.loop().best().size() == 1);
  REQUIRE(metrics.front().first == "reward");
  CHECK(std::isfinite(metrics.front().second));
}

TEST_CASE("an update proposes what it is asked for, on devices that each set may use") {
  Task task(pair_of_nodes(), Colocation::kUnits, 4);
  PostLearner learner(task, options_of("post(preset=paper)"));
  const Samples samples = learner.propose(task, 100, 0, Rng(1));
  CHECK(samples.placements.size() == 100);
  for (const SetDevices& devices : samples.placements)
    for (std::uint32_t set = 0; set < 2; ++set) CHECK(task.graph.may_use(set, devices[set]));
  CHECK(samples.groups.size() == 2);
}

TEST_CASE("near the end each group of the best is tried elsewhere once") {
  Task task(pair_of_nodes(), Colocation::kUnits, 4);
  Budget budget;
  task.score({{1, 0}}, budget);
  PostLearner learner(task, options_of("post(updates=10,rollouts=6)"));
  learner.prepare(task, budget, Rng(1));
  const SetDevices best = learner.groups().expanded(learner.loop().best().front().devices);
  const Samples moves = learner.propose(task, 6, 0.99, Rng(1));
  // Two other devices for the first, one for the second.
  REQUIRE(moves.placements.size() == 3);
  for (const SetDevices& devices : moves.placements)
    CHECK((devices[0] != best[0]) + (devices[1] != best[1]) == 1);
  learner.learn(task, task.score(moves.placements, budget), 0.99, Rng(1));
  CHECK(learner.propose(task, 6, 0.995, Rng(1)).placements.size() == 6);  // only once
}

TEST_CASE("refits are spaced so that a training has at most so many") {
  const auto first_refit = [](const std::string& spec) {
    Task task(long_chain(40), Colocation::kUnits, 4);
    Budget budget;
    PostLearner learner(task, options_of(spec));
    for (int update = 1; update <= 100; ++update) {
      const Rng rng(static_cast<std::uint64_t>(update));
      const Samples samples = learner.propose(task, 4, 0, rng);
      for (const auto& [name, value] :
           learner.learn(task, task.score(samples.placements, budget), 0, rng))
        if (name == "kl" && value == 0) return update;  // no proximal step
    }
    return 0;
  };
  // 400 samples in all, ten refits: one every 40, the tenth batch of four. Without that limit 16.
  const std::string sizes = "updates=100,rollouts=4,refit_every=16,elite_per_device=1";
  CHECK(first_refit(fmt::format("post({},refits=10)", sizes)) == 10);
  CHECK(first_refit(fmt::format("post({},refits=0)", sizes)) == 4);
}

TEST_CASE("sets are joined to as many groups as asked for, or not at all") {
  Task task(long_chain(60), Colocation::kUnits, 4);
  CHECK(PostLearner(task, options_of("post(groups=8)")).groups().size() <= 8);
  CHECK(PostLearner(task, options_of("post(groups=8,grouping=all)")).groups().size() == 60);
}

TEST_CASE("a training that was interrupted ends as one that was not") {
  const Scratch scratch;
  const std::string file = (scratch.path() / "checkpoint").string();
  const PostOptions options =
      options_of("post(rollouts=8,refit_every=24,elite_per_device=1,updates=60,groups=10)");
  const Problem problem = long_chain(40);
  const auto run = [&](const std::string& checkpoint, const std::string& resume, Budget& budget) {
    std::vector<Task> task;
    task.emplace_back(problem, Colocation::kUnits, 4);
    PostLearner learner(task[0], options);
    const Plan plan{.updates = options.updates,
                    .rollouts = options.rollouts,
                    .refine = 0,
                    .checkpoint = checkpoint,
                    .resume = resume,
                    .identity = "post"};
    return train(learner, task, plan, budget, Rng(1));
  };
  Budget unlimited, again;
  const Curve expected = run("", "", unlimited);
  std::atomic<bool> stop{false};
  Budget interrupted({}, &stop, [&](const Progress& progress) {
    if (progress.phase.starts_with("update 47 ")) stop = true;
  });
  REQUIRE(run(file, "", interrupted).size() == 47);
  CHECK(run("", file, again) == expected);
}

TEST_CASE("a checkpoint of the simulator's stage serves the stage of real runs") {
  const Scratch scratch;
  const std::string file = (scratch.path() / "checkpoint").string();
  const Problem problem = long_chain(12, Concurrent{});
  run_placer(fmt::format("post(updates=3,rollouts=4,checkpoint={})", file), problem);
  Evaluator machine(problem);
  Budget budget;
  budget.set_meter([&](const Placement& placement) { return machine(placement).value; });
  const Result result =
      run_placer(fmt::format("post(updates=3,rollouts=4,stage=measure,samples=24,resume={})", file),
                 problem, 1, budget);
  CHECK(result.curve.size() == 3);
  CHECK(result.measurements > 24);
  CHECK_THROWS_WITH_AS(run_placer(fmt::format("post(updates=4,resume={})", file), problem),
                       doctest::Contains("belongs to 'post(updates=3,rollouts=4)"), Error);
}

TEST_CASE("real runs need a machine, and that is said in one line") {
  CHECK_THROWS_WITH_AS(run_placer("post(stage=measure)", pair_of_nodes()),
                       doctest::Contains("expected a model"), Error);
}

TEST_CASE("presets and ablations read back as they were written") {
  const PlacerEntry& entry = find_placer("post");
  for (const char* spec :
       {"post()", "post(preset=paper)", "post(ppo_steps=0)", "post(refit=never)",
        "post(smoothing=1)", "post(pool=0)", "post(seeds=false)", "post(groups=32)",
        "post(grouping=all)", "post(stage=measure)", "post(preset=paper,seeds=true)"})
    CHECK(entry.canonical(parse_spec(spec)) == spec);
  CHECK(options_of("post(preset=paper)").rollouts * options_of("post(preset=paper)").updates ==
        2400);
  CHECK(entry.canonical(parse_spec("post(preset=paper,refit_every=144)")) == "post(preset=paper)");
}

TEST_CASE("a share that is none and no group at all are mistakes") {
  CHECK_THROWS_WITH_AS(run_placer("post(share=0)", pair_of_nodes()),
                       "post(share=0): expected more than 0, at most 1", Error);
  CHECK_THROWS_AS(run_placer("post(smoothing=1.5)", pair_of_nodes()), Error);
  CHECK_THROWS_AS(run_placer("post(groups=0)", pair_of_nodes()), Error);
}

TEST_CASE("without seeds, each update alone and both beat random placements at equal evaluations") {
  const Problem problem = long_chain(40);
  const auto median_of_five = [&](const std::string& spec) {
    std::vector<double> values;
    for (std::uint64_t seed = 1; seed <= 5; ++seed) {
      Budget budget({.seconds = {}, .evaluations = 2000});
      values.push_back(run_placer(spec, problem, seed, budget).simulation->value.count());
    }
    std::sort(values.begin(), values.end());
    return values[2];
  };
  const double random = median_of_five("random");
  for (const char* spec :
       {"post(preset=paper)", "post(preset=paper,ppo_steps=0)", "post(preset=paper,refit=never)"}) {
    CAPTURE(spec);
    CHECK(median_of_five(spec) < random);
  }
}

// Over placements without an order: a policy over devices has no other.
std::optional<double> best_value(const Problem& problem) {
  Evaluator evaluator(problem);
  const Scorer scorer = [&](const Placement& placement) -> std::optional<double> {
    const Score score = evaluator(placement);
    if (!score.feasible() || broken_rule(problem, placement)) return std::nullopt;
    return score.value.count();
  };
  return brute_force(problem, scorer).best;
}

TEST_CASE("the optimum of every small problem is found within 2400 samples, for five seeds") {
  for (const Problem& problem : fixtures::small_problems()) {
    if (problem.unit_count() > 8 || problem.device_count() > 3) continue;
    const std::optional<double> best = best_value(problem);
    if (!best) continue;
    CAPTURE(problem.name());
    // 300 updates of 8 samples.
    for (const char* spec : {"post(updates=300)", "post(updates=300,seeds=false)"})
      for (std::uint64_t seed = 1; seed <= static_cast<std::uint64_t>(effort(5)); ++seed) {
        const Result result = run_placer(spec, problem, seed);
        REQUIRE(result.simulation);
        CHECK(result.simulation->value.count() <= *best * (1 + 1e-9));
      }
  }
}

}  // namespace
}  // namespace berth
