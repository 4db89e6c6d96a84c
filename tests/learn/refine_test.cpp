#include "berth/learn/refine.h"

#include <algorithm>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "tests/support/fixtures.h"
#include "tests/support/sketch.h"

namespace berth {
namespace {

// a -> b -> c -> d, sequential. b and c are 5 us faster on d1 each, a tensor costs 4 us to send:
// one alone there loses 3 us, both together gain 2.
Problem pair_gains() {
  Sketch sketch("pair", 2);
  const NodeId a = sketch.node("a", {1, 9}), b = sketch.node("b", {6, 1});
  const NodeId c = sketch.node("c", {6, 1}), d = sketch.node("d", {1, 9});
  sketch.tensor(a, 4, {b});
  sketch.tensor(b, 4, {c});
  sketch.tensor(c, 4, {d});
  sketch.model = Sequential{};
  return sketch.build();
}

TEST_CASE("a group moves as one, which its nodes alone would not") {
  const Problem problem = pair_gains();
  Task task(problem, Colocation::kUnits, 4);
  REQUIRE(task.graph.size() == 4);
  Budget budget;
  const std::vector<Scored> start = task.score({{0, 0, 0, 0}}, budget);
  REQUIRE(task.elite.best().score.value == Duration{14});
  const std::vector<SetGroup> group{{1, 2}};
  const Elite refined =
      refined_elite(task, {.groups = group, .samples = start, .moves = 12}, budget, Rng(1));
  CHECK(refined.best().devices == SetDevices{0, 1, 1, 0});
  CHECK(refined.best().score.value == Duration{12});
  CHECK(task.elite.members() == start);
  CHECK(budget.evaluations() <= 13);
}

// A chain of 13. Nodes 1 to 4 are 2 us faster each on d1, a tensor costs 3 us to send: two of them
// there lose 2 us, three are even, all four gain 2. Everything behind them is far slower there.
Problem block_gains() {
  Sketch sketch("block", 2);
  NodeId last{};
  for (int i = 0; i < 13; ++i) {
    const bool gains = i >= 1 && i <= 4;
    const NodeId node = sketch.node("n" + std::to_string(i),
                                    gains ? std::vector<double>{3, 1} : std::vector<double>{1, 50});
    if (i > 0) sketch.tensor(last, 3, {node});
    last = node;
  }
  sketch.model = Sequential{};
  return sketch.build();
}

TEST_CASE("of a sample that is worse as a whole the better part is kept") {
  const Problem problem = block_gains();
  SetDevices sample{0, 1, 1, 1, 1, 0, 1, 1, 1, 1, 1, 1, 1};
  const SetDevices best{0, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0};
  const std::vector<SetGroup> no_help{{0}};
  for (const bool has_block : {true, false}) {
    if (!has_block) std::fill(sample.begin(), sample.begin() + 5, 0);
    Task task(problem, Colocation::kUnits, 1);
    REQUIRE(task.graph.size() == 13);
    Budget budget;
    task.score({SetDevices(13, 0)}, budget);
    const std::vector<Scored> samples{{sample, {}}};
    const Elite refined =
        refined_elite(task, {.groups = no_help, .samples = samples, .moves = 400}, budget, Rng(3));
    CHECK((refined.best().devices == best) == has_block);
  }
}

TEST_CASE("a warm refinement walks through placements that are worse") {
  // From all on d0 no single node, and no two, may move without loss; with warmth they do.
  const Problem problem = block_gains();
  const SetDevices start(13, 0);
  const std::vector<SetGroup> no_help{{0}};
  for (const double temperature : {0.0, 0.3}) {
    Task task(problem, Colocation::kUnits, 1);
    Budget budget;
    const std::vector<Scored> samples = task.score({start}, budget);
    const Elite refined = refined_elite(
        task, {.groups = no_help, .samples = samples, .moves = 20000, .temperature = temperature},
        budget, Rng(3));
    CHECK((refined.best().devices != start) == (temperature > 0));
  }
}

TEST_CASE("refinement keeps to its number of moves, to the budget and to what devices may run") {
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    Rng rng(seed);
    const Problem problem = fixtures::random_problem(rng);
    if (problem.unplaceable()) continue;
    Task task(problem, Colocation::kChains, 8);
    const PolicyGraph& graph = task.graph;
    SetDevices start;
    std::vector<SetGroup> groups;
    for (std::uint32_t set = 0; set < graph.size(); ++set) {
      std::uint32_t first = 0;
      while (!graph.may_use(set, first)) ++first;
      start.push_back(first);
      if (seed % 2 == 0) groups.push_back({set});  // without groups, sets move
    }
    Budget budget({.seconds = {}, .evaluations = 11});
    const std::vector<Scored> samples = task.score({start}, budget);
    const bool fits = !task.elite.empty();
    const Elite refined = refined_elite(
        task, {.groups = groups, .samples = samples, .moves = 20, .temperature = 0.01}, budget,
        rng);
    CHECK(budget.evaluations() <= 11);
    for (const Scored& member : refined.members())
      for (std::uint32_t set = 0; set < graph.size(); ++set)
        CHECK(graph.may_use(set, member.devices[set]));
    if (fits) CHECK_FALSE(samples.front().score < refined.best().score);
    if (!fits) CHECK(budget.evaluations() == 1);  // nothing to start from
  }
}

}  // namespace
}  // namespace berth
