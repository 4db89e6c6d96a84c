#include "berth/place/block/separators.h"

#include <doctest/doctest.h>

#include "berth/place/block/chain.h"
#include "berth/sim/evaluate.h"
#include "tests/support/brute_force.h"
#include "tests/support/effort.h"
#include "tests/support/fixtures.h"
#include "tests/support/sketch.h"

using namespace berth;

TEST_CASE("a node beside a line costs its separators, and then they are many") {
  // a -> b -> c -> d -> e, and a -> m -> e beside it: only a and e are cuts, every node of the line
  // leaves out m alone.
  Sketch sketch("mask", 1);
  std::vector<NodeId> line;
  for (const char* name : {"a", "b", "c", "d", "e"}) line.push_back(sketch.node(name, {1}));
  const NodeId mask = sketch.node("m", {1});
  for (std::size_t i = 0; i + 1 < line.size(); ++i) sketch.tensor(line[i], 1, {line[i + 1]});
  sketch.tensor(line.front(), 1, {mask});
  sketch.tensor(mask, 1, {line.back()});
  const std::vector<Separators> chains = separator_chains(sketch.build().graph());
  REQUIRE(chains.size() == 2);
  CHECK(chains[0].exact);
  CHECK(chains[0].nodes == std::vector<NodeId>{line.front(), line.back()});
  CHECK(!chains[1].exact);
  CHECK(chains[1].nodes == line);
}

TEST_CASE("no chain of separators bounds more than the optimum, searched or not") {
  Rng rng(35);
  int relaxed = 0;
  for (int round = 0; round < effort(800); ++round) {
    CAPTURE(round);
    const Problem problem =
        fixtures::random_problem(rng, {.min_nodes = 3,
                                       .max_nodes = 6,
                                       .max_devices = 3,
                                       .execution = fixtures::ExecutionKind::kConcurrent,
                                       .memory_limits = false});
    if (all_orders(problem.graph(), 40).empty()) continue;
    Evaluator evaluator(problem);
    const std::optional<double> best =
        brute_force(
            problem,
            [&](const Placement& placement) {
              return std::optional(evaluator(placement).value.count());
            },
            true)
            .best;
    if (!best) continue;  // apart sets that cannot be
    Budget budget;
    for (const Separators& separators : separator_chains(problem.graph())) {
      Chain chain(problem, separators);
      CHECK(chain.shortest(Chain::Side::kLower).length <= *best * (1 + 1e-9));
      chain.search(chain.all_jobs(100), 1000, 1, budget);
      CHECK(chain.shortest(Chain::Side::kLower).length <= *best * (1 + 1e-9));
      relaxed += separators.exact ? 0 : 1;
    }
  }
  CHECK(relaxed > 0);
}
