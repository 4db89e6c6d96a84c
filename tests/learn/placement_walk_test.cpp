#include "berth/learn/placement_walk.h"

#include <algorithm>

#include <doctest/doctest.h>

#include "berth/learn/environment.h"
#include "berth/learn/heavy_edge_groups.h"
#include "tests/support/fixtures.h"
#include "tests/support/sketch.h"

namespace berth {
namespace {

std::uint32_t allowed_device(const PolicyGraph& graph, std::uint32_t set, Rng& rng) {
  while (true) {
    const std::uint32_t device = static_cast<std::uint32_t>(rng.below(graph.device_count));
    if (graph.may_use(set, device)) return device;
  }
}

// When the first node of each set starts, by the full story of the placement.
std::vector<double> told_starts(const Problem& problem, const PolicyGraph& graph,
                                const SetDevices& devices) {
  std::vector<double> starts(graph.size(), kNever);
  for (const Run& run : simulate(problem, spread(graph, devices)).schedule.runs)
    starts[graph.set_of[run.node]] = std::min(starts[graph.set_of[run.node]], run.start.count());
  return starts;
}

void check_against_scores(const Problem& problem, const PolicyGraph& graph, Rng& rng) {
  Environment environment(problem, graph);
  Budget budget;
  PlacementWalk walk(problem, graph);
  for (int episode = 0; episode < 2; ++episode) {
    SetDevices devices;
    for (std::uint32_t set = 0; set < graph.size(); ++set)
      devices.push_back(allowed_device(graph, set, rng));
    walk.start(devices);
    for (std::uint32_t set = 0; set < graph.size(); ++set) {
      devices[set] = allowed_device(graph, set, rng);
      walk.move(set, devices[set]);
      REQUIRE(walk.devices() == devices);
      const Score anew = environment.score({&devices, 1}, budget).front();
      // Loads are kept under moves, up to rounding; a simulation gives the same bits.
      if (problem.objective() == Objective::kLatency) {
        REQUIRE(walk.score() == anew);
        REQUIRE(std::ranges::equal(walk.starts(), told_starts(problem, graph, devices)));
      } else {
        REQUIRE(walk.score().value.count() == doctest::Approx(anew.value.count()));
        REQUIRE(walk.score().overflow == doctest::Approx(anew.overflow));
        REQUIRE(std::ranges::all_of(walk.starts(), [](double start) { return start == 0; }));
      }
    }
  }
}

TEST_CASE("every step of a walk has the score of its placement, and the starts of its schedule") {
  Rng rng(5);
  for (const Problem& problem : fixtures::small_problems()) {
    CAPTURE(problem.name());
    if (problem.unplaceable()) continue;
    check_against_scores(problem, policy_graph(problem, Colocation::kUnits), rng);
  }
  for (int i = 0; i < 200; ++i) {
    CAPTURE(i);
    const Problem problem = fixtures::random_problem(rng);
    if (problem.unplaceable()) continue;
    const PolicyGraph sets = policy_graph(problem, Colocation::kUnits);
    check_against_scores(problem, contracted(problem, sets, heavy_edge_groups(problem, sets, 3)),
                         rng);
  }
}

}  // namespace
}  // namespace berth
