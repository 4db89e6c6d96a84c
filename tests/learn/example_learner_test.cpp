// The smallest learners there are: one that proposes, from its options to its line in a table, and
// one that plays. They ignore their samples and draw at random. What a new learned method needs,
// and nothing else.

#include <array>
#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "berth/base/error.h"
#include "berth/learn/place_learned.h"
#include "berth/learn/placement_walk.h"
#include "berth/learn/train.h"
#include "berth/place/registry.h"
#include "tests/support/fixtures.h"
#include "tests/support/scratch.h"
#include "tests/support/sketch.h"

namespace berth {
namespace {

class AtRandom : public Learner {
 public:
  Samples propose(const Task& task, std::size_t count, double, const Rng& rng) override {
    Samples samples;
    Rng stream = rng.split("devices");
    while (samples.placements.size() < count)
      samples.placements.push_back(draw(task.graph, stream));
    return samples;
  }
  Metrics learn(const Task&, std::span<const Scored> samples, double, const Rng&) override {
    seen_ += static_cast<double>(samples.size());
    return {{"seen", seen_}};
  }
  void save(Archive& archive) const override { archive.numbers["seen"] = {seen_}; }
  void load(const Archive& archive) override { seen_ = archive.numbers.at("seen").at(0); }

 private:
  static SetDevices draw(const PolicyGraph& graph, Rng& rng) {
    SetDevices devices(graph.size());
    for (std::uint32_t set = 0; set < graph.size(); ++set) do {
        devices[set] = static_cast<std::uint32_t>(rng.below(graph.device_count));
      } while (!graph.may_use(set, devices[set]));
    return devices;
  }

  double seen_ = 0;
};

// Moves one set after another, and keeps what is not worse: the next placement depends on the score
// of the last.
class StepByStep : public Learner {
 public:
  std::vector<Scored> play(const Task& task, std::size_t count, double, Budget& budget,
                           const Rng& rng) override {
    std::vector<Scored> seen;
    PlacementWalk walk(task.problem, task.graph);
    for (std::size_t episode = 0; episode < count; ++episode) {
      Rng stream = rng.split(episode);
      walk.start(SetDevices(task.graph.size(), 0));
      for (std::uint32_t set = 0; set < task.graph.size() && !budget.spent(); ++set) {
        const Scored before{walk.devices(), walk.score()};
        const std::uint32_t device =
            static_cast<std::uint32_t>(stream.below(task.graph.device_count));
        if (task.graph.may_use(set, device)) walk.move(set, device);
        budget.count();
        seen.push_back({walk.devices(), walk.score()});
        if (before.score < walk.score()) walk.move(set, before.devices[set]);
      }
    }
    return seen;
  }
  Metrics learn(const Task&, std::span<const Scored> samples, double, const Rng&) override {
    return {{"steps", static_cast<double>(samples.size())}};
  }
  void save(Archive&) const override {}
  void load(const Archive&) override {}
};

void at_random(const Context& context, const LearnedOptions& options) {
  place_learned(context, "at-random", options,
                [](const Task&, std::uint64_t) { return std::make_unique<AtRandom>(); });
}

constexpr std::array kTable{
    method<at_random>("at-random", "draws and learns nothing", {.growth = Growth::kTraining}),
};

Outcome place(const std::string& spec, const Problem& problem, Budget& budget) {
  return run_method(kTable[0].with_options(parse_spec(spec)), "at-random", problem, budget, Rng(1));
}
Outcome place(const std::string& spec, const Problem& problem) {
  Budget budget;
  return place(spec, problem, budget);
}

std::vector<Task> three_tasks() {
  std::vector<Task> tasks;
  for (const char* name : {"fork-join", "tight-memory", "apart"})
    tasks.emplace_back(fixtures::small_problem(name), Colocation::kUnits, 4);
  return tasks;
}

// Refined only a little, so that not all is found at once.
Plan plan_of(int updates) { return {.updates = updates, .rollouts = 5, .refine = 8}; }

TEST_CASE("a learner trains over three tasks in turn") {
  std::vector<Task> tasks = three_tasks();
  AtRandom learner;
  Budget budget;
  const Curve curve = train(learner, tasks, plan_of(12), budget, Rng(1));
  REQUIRE(curve.size() == 12);
  for (std::size_t k = 0; k < curve.size(); ++k) {
    CHECK(curve[k].update == static_cast<int>(k) + 1);
    CHECK(curve[k].metrics == Metrics{{"seen", 5.0 * static_cast<double>(k + 1)}});
    CHECK(curve[k].best >= tasks[k % 3].elite.best().score.value);
    CHECK(curve[k].own >= curve[k].best);
    if (k >= 3) CHECK(curve[k].own <= curve[k - 3].own);
    if (k >= 3) CHECK(curve[k].best <= curve[k - 3].best);
  }
  CHECK(curve.back().evaluations == budget.evaluations());
  for (const Task& task : tasks)
    CHECK_FALSE(broken_rule(task.problem, spread(task.graph, task.elite.best().devices)));
}

TEST_CASE("a training that was interrupted ends as one that was not, on three tasks") {
  const Scratch scratch;
  const std::string file = (scratch.path() / "checkpoint").string();
  std::vector<Task> whole = three_tasks(), half = three_tasks(), rest = three_tasks();
  AtRandom first, second, third;
  Budget unlimited, again;
  const Curve expected = train(first, whole, plan_of(9), unlimited, Rng(1));

  std::atomic<bool> stop{false};
  Budget interrupted({}, &stop, [&](const Progress& progress) {
    if (progress.phase.starts_with("update 4 seen 20 ")) stop = true;
  });
  Plan plan = plan_of(9);
  plan.identity = "nine updates";
  plan.checkpoint = file;
  REQUIRE(train(second, half, plan, interrupted, Rng(1)).size() == 4);
  plan.resume = file;
  CHECK(train(third, rest, plan, again, Rng(1)) == expected);
  for (std::size_t i = 0; i < 3; ++i) CHECK(rest[i].elite.members() == whole[i].elite.members());

  plan.identity = "ten updates";
  CHECK_THROWS_WITH_AS(train(third, rest, plan, again, Rng(1)),
                       doctest::Contains("belongs to 'nine updates', not to 'ten updates'"), Error);
  std::vector<Task> other;
  other.emplace_back(fixtures::small_problem("call-latency"), Colocation::kUnits, 4);
  plan.identity = "nine updates";
  CHECK_THROWS_WITH_AS(train(third, other, plan, again, Rng(1)), doctest::Contains("damaged"),
                       Error);
}

// a -> b -> c on unequal devices.
Problem chain(const ExecutionModel& model) {
  Sketch sketch("chain", 2);
  const NodeId a = sketch.node("a", {1, 9}), b = sketch.node("b", {6, 1});
  const NodeId c = sketch.node("c", {1, 9});
  sketch.tensor(a, 1, {b});
  sketch.tensor(b, 1, {c});
  sketch.model = model;
  return sketch.build();
}

TEST_CASE("a learner may play its placements one after another; the loop keeps the best of them") {
  std::vector<Task> tasks;
  tasks.emplace_back(chain(Concurrent{}), Colocation::kUnits, 4);
  StepByStep learner;
  Budget budget({.seconds = {}, .evaluations = 34});
  const Plan plan{.updates = 9, .rollouts = 5, .refine = 0};
  const Curve curve = train(learner, tasks, plan, budget, Rng(1));
  // 5 episodes of 3 steps, twice, then what is left.
  REQUIRE(curve.size() == 3);
  CHECK(curve[0].metrics == Metrics{{"steps", 15}});
  CHECK(curve[2].metrics == Metrics{{"steps", 4}});
  CHECK(budget.evaluations() == 34);
  CHECK(tasks[0].elite.best().devices == SetDevices{0, 1, 0});
  CHECK(tasks[0].elite.best().score.value == Duration{5});
}

TEST_CASE("one line of a table makes a placer of it, with seeds, budget and checkpoints") {
  const Problem problem = chain(Concurrent{});
  const Outcome outcome = place("at-random(updates=5,rollouts=4,seeds=false)", problem);
  CHECK(outcome == place("at-random(updates=5,rollouts=4,seeds=false)", problem));
  CHECK(outcome.curve.size() == 5);
  // 1 + 1 + 1 of work and two transfers of 1 us.
  CHECK(Evaluator(problem)(*outcome.placement).value == Duration{5});

  Budget budget({.seconds = {}, .evaluations = 6});
  const Outcome short_of =
      place("at-random(updates=5,rollouts=4,seeds=false,refine=0)", problem, budget);
  CHECK(budget.evaluations() == 6);  // four samples, then two
  CHECK(short_of.curve.back().metrics == Metrics{{"seen", 6}});

  const Scratch scratch;
  const std::string file = (scratch.path() / "checkpoint").string();
  place("at-random(updates=5,rollouts=4,seeds=false,checkpoint=" + file + ")", problem);
  CHECK(place("at-random(updates=5,rollouts=4,seeds=false,resume=" + file + ")", problem) ==
        outcome);
  CHECK_THROWS_WITH_AS(
      place("at-random(updates=6,resume=" + file + ")", problem),
      doctest::Contains("belongs to 'at-random(updates=5,rollouts=4,seeds=false) on chain, 3 sets"),
      Error);
  CHECK_THROWS_WITH_AS(place("at-random(reward=measured)", problem),
                       doctest::Contains("at-random(reward=measured): nothing here can be run"),
                       Error);
}

// Draws one placement for ever, a bad one.
class Stubborn : public AtRandom {
 public:
  Samples propose(const Task& task, std::size_t count, double, const Rng&) override {
    return {.placements = std::vector<SetDevices>(count, SetDevices(task.graph.size(), 1)),
            .answers = {},
            .groups = {}};
  }
};

TEST_CASE("what the policy has drawn is told apart from what seeds and refinement found") {
  // All on d1: 9 + 1 + 9 us; the best is 5 us.
  std::vector<Task> tasks;
  tasks.emplace_back(chain(Concurrent{}), Colocation::kUnits, 4);
  Stubborn learner;
  Budget budget;
  const Curve curve =
      train(learner, tasks, {.updates = 5, .rollouts = 2, .refine = 200}, budget, Rng(1));
  CHECK(curve.back().own == Duration{19});
  CHECK(curve.back().best == Duration{5});
}

TEST_CASE("where a seed is proven optimal nothing is learned") {
  const Problem problem = chain(Sequential{});
  const Outcome outcome = place("at-random(updates=5)", problem);
  CHECK(outcome.proven_optimal);
  CHECK(outcome.found_by == "greedy");  // the first to find it
  CHECK(outcome.bound_by == "sequential-cut");
  CHECK(outcome.curve.empty());
  CHECK(Evaluator(problem)(*outcome.placement).value == Duration{5});
  CHECK(place("at-random(updates=5,seeds=false)", problem).curve.size() == 5);
}

}  // namespace
}  // namespace berth
