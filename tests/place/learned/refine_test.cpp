#include "berth/place/learned/refine.h"

#include <doctest/doctest.h>

#include "tests/support/fixtures.h"
#include "tests/support/sketch.h"

namespace berth {
namespace {

// a -> b -> c -> d, sequential. b and c are 5 us faster on d1 each, a tensor costs 4 us to send: one
// alone there loses 3 us, both together gain 2.
Problem pair_gains() {
  Sketch sketch("pair", 2);
  const NodeId a = sketch.node("a", {1, 9}), b = sketch.node("b", {6, 1});
  const NodeId c = sketch.node("c", {6, 1}), d = sketch.node("d", {1, 9});
  sketch.tensor(a, 4, {b});
  sketch.tensor(b, 4, {c});
  sketch.tensor(c, 4, {d});
  sketch.model.execution = Execution::kSequential;
  return sketch.build();
}

TEST_CASE("a group moves as one, which its nodes alone would not") {
  const Problem problem = pair_gains();
  const PolicyGraph graph = policy_graph(problem, Colocation::kUnits);
  REQUIRE(graph.size() == 4);
  Scorer scorer(problem, graph, 4);
  Budget budget;
  const SetDevices start{0, 0, 0, 0};
  scorer.score({&start, 1}, budget);
  REQUIRE(scorer.elite().front().score.value == Duration{14});
  Rng rng(1);
  const std::vector<SetGroup> group{{1, 2}};
  refine_elite(scorer, graph, group, 8, budget, rng);  // a second move would undo the first
  CHECK(scorer.elite().front().devices == SetDevices{0, 1, 1, 0});
  CHECK(scorer.elite().front().score.value == Duration{12});
  CHECK(budget.evaluations() <= 9);
}

TEST_CASE("refinement keeps to its number of moves, to the budget and to what devices may run") {
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    Rng rng(seed);
    const Problem problem = fixtures::random_problem(rng);
    if (problem.unplaceable()) continue;
    const PolicyGraph graph = policy_graph(problem);
    SetDevices start;
    std::vector<SetGroup> groups;
    for (std::uint32_t set = 0; set < graph.size(); ++set) {
      std::uint32_t first = 0;
      while (!graph.may_use(set, first)) ++first;
      start.push_back(first);
      groups.push_back({set});
    }
    Scorer scorer(problem, graph, 8);
    Budget budget({.seconds = {}, .evaluations = 11});
    scorer.score({&start, 1}, budget);
    const bool fits = !scorer.elite().empty();
    const Score before = fits ? scorer.elite().front().score : Score{};
    refine_elite(scorer, graph, groups, 20, budget, rng);
    CHECK(budget.evaluations() <= 11);
    for (const Scorer::Elite& member : scorer.elite())
      for (std::uint32_t set = 0; set < graph.size(); ++set)
        CHECK(graph.may_use(set, member.devices[set]));
    if (fits) CHECK_FALSE(before < scorer.elite().front().score);
    if (!fits) CHECK(budget.evaluations() == 1);  // nothing to start from
  }
}

}  // namespace
}  // namespace berth
