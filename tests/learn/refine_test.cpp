#include "berth/learn/refine.h"

#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "berth/learn/task.h"
#include "tests/support/fixtures.h"
#include "tests/support/sketch.h"

namespace berth {
namespace {

// s feeds b, c and four others, sequential. Its tensor costs 4 us to send, once for all of d1; b
// and c are 3 us faster there each: one alone loses 1 us, both together gain 2. s and the others
// are far slower on d1, so that no block of neighbours gains.
Problem pair_gains() {
  Sketch sketch("pair", 2);
  std::vector<NodeId> users;
  const NodeId s = sketch.node("s", {1, 90});
  for (const char* name : {"b", "c"}) users.push_back(sketch.node(name, {4, 1}));
  for (const char* name : {"e", "f", "g", "h"}) users.push_back(sketch.node(name, {1, 90}));
  sketch.tensor(s, 4, users);
  sketch.model = Sequential{};
  return sketch.build();
}
const SetDevices kStart(7, 0), kPair{0, 1, 1, 0, 0, 0, 0};

// The elite after a piece of each chain, all from kStart.
Elite refined(const std::vector<SetGroup>& groups, const SetDevices& sample, double progress) {
  Task task(pair_gains(), Colocation::kUnits, 4);
  REQUIRE(task.graph.size() == 7);
  Budget budget;
  task.score({kStart}, budget);
  REQUIRE(task.elite.best().score.value == Duration{13});
  const std::vector<Scored> samples{{sample, {.value = Duration{13}}}};
  const Refinement refinement{.graph = task.graph,
                              .groups = groups,
                              .samples = samples,
                              .elite = task.elite,
                              .steps = 1000};
  Refiner& refiner = task.refiner;
  refiner.resume({.chains = {kStart, kStart}, .round = progress < 0.5 ? 0 : 1});
  refiner.advance(refinement, progress, Rng(1));
  Elite elite = task.elite;
  for (std::size_t chain = 0; chain < Refiner::kChains; ++chain)
    for (const Scored& found : refiner.run(chain, refinement, budget, Rng(chain + 1)))
      elite.admit(found);
  CHECK(budget.evaluations() <= 1 + 1000 * Refiner::kChains);
  return elite;
}

TEST_CASE("a group of the policy moves as one, which its sets alone would not") {
  const Elite elite = refined({{1, 2}}, kStart, 1);
  CHECK(elite.best().devices == kPair);
  CHECK(elite.best().score.value == Duration{11});
  CHECK(refined({{1, 3}}, kStart, 1).best().devices == kStart);
}

TEST_CASE("of a sample that is worse as a whole the better part is kept") {
  CHECK(refined({}, {0, 1, 1, 1, 1, 1, 1}, 1).best().devices == kPair);
  CHECK(refined({}, {0, 0, 1, 0, 0, 0, 1}, 1).best().devices == kStart);
}

TEST_CASE("a chain is warm in the beginning, and walks through placements that are worse") {
  CHECK(refined({}, kStart, 0).best().devices == kPair);
  CHECK(refined({}, kStart, 1).best().devices == kStart);
}

TEST_CASE("a round starts the chains anew, from the best and from the policy's best sample") {
  Task task(pair_gains(), Colocation::kUnits, 4);
  Budget budget;
  const std::vector<Scored> known = task.score({kStart, kPair}, budget);
  const std::vector<Scored> samples{known[1], known[0]};
  Elite elite(4);
  elite.admit(known[0]);
  const Refinement refinement{
      .graph = task.graph, .groups = {}, .samples = samples, .elite = elite, .steps = 1};
  Refiner& refiner = task.refiner;
  CHECK_FALSE(refiner.has_started());
  refiner.advance(refinement, 0, Rng(1));
  CHECK(refiner.state().chains == std::vector<SetDevices>{kStart, kPair});
  refiner.resume({.chains = {kPair, kPair}, .round = 0});
  refiner.advance(refinement, 0.4, Rng(1));
  CHECK(refiner.state().chains == std::vector<SetDevices>{kPair, kPair});
  refiner.advance(refinement, 0.5, Rng(1));
  CHECK(refiner.state().chains == std::vector<SetDevices>{kStart, kPair});
}

TEST_CASE("chains keep sets whole, steps, limits and rules, and know what placements cost") {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    Rng rng(seed);
    const Problem problem = fixtures::random_problem(rng);
    if (problem.unplaceable()) continue;
    Task task(problem, seed % 2 == 0 ? Colocation::kChains : Colocation::kUnits, 8);
    const PolicyGraph& graph = task.graph;
    SetDevices start;
    for (std::uint32_t set = 0; set < graph.size(); ++set) {
      std::uint32_t first = 0;
      while (!graph.may_use(set, first)) ++first;
      start.push_back(first);
    }
    Budget budget;
    const std::vector<Scored> samples = task.score({start}, budget);
    const Refinement refinement{
        .graph = graph, .groups = {}, .samples = samples, .elite = task.elite, .steps = 40};
    task.refiner.advance(refinement, 0, rng);
    CHECK(task.refiner.has_started() == !task.elite.empty());
    if (task.elite.empty()) continue;
    Budget part = budget.part({});
    const std::vector<Scored> found = task.refiner.run(0, refinement, part, rng);
    CHECK(part.evaluations() <= 40);
    for (const Scored& placement : found) {
      const Score again = task.environment.score({&placement.devices, 1}, budget).front();
      CHECK(placement.score.value.count() == doctest::Approx(again.value.count()));
      CHECK(again.feasible());
      for (std::uint32_t set = 0; set < graph.size(); ++set)
        CHECK(graph.may_use(set, placement.devices[set]));
    }
  }
}

}  // namespace
}  // namespace berth
