#include "berth/search/region_moves.h"

#include <algorithm>
#include <set>

#include <doctest/doctest.h>

#include "berth/place/run_placer.h"
#include "berth/sim/evaluate.h"
#include "tests/support/fixtures.h"
#include "tests/support/sketch.h"

using namespace berth;

namespace {

// fork -> {a0 -> a1, b0 -> b1} -> join, three times in a row; two equal devices. A piece costs 6
// more than its nodes.
Problem blocks(Objective objective) {
  Sketch sketch("blocks", 2, 2);
  sketch.set_links(0.1, 1e-6);
  NodeId last = sketch.node("start", {1, 1});
  for (int block = 0; block < 3; ++block) {
    const auto named = [&](const char* name) { return std::string(name) + std::to_string(block); };
    const NodeId a0 = sketch.node(named("a0"), {20, 20}), a1 = sketch.node(named("a1"), {20, 20});
    const NodeId b0 = sketch.node(named("b0"), {20, 20}), b1 = sketch.node(named("b1"), {20, 20});
    const NodeId join = sketch.node(named("join"), {1, 1});
    sketch.tensor(last, 1, {a0, b0});
    sketch.tensor(a0, 1, {a1});
    sketch.tensor(b0, 1, {b1});
    sketch.tensor(a1, 1, {join});
    sketch.tensor(b1, 1, {join});
    last = join;
  }
  sketch.tensor(last, 1, {});
  for (const DeviceId id : sketch.cluster.devices()) {
    Device device = sketch.cluster.device(id);
    device.piece_overhead = Duration{6};
    sketch.cluster.set_device(id, device);
  }
  sketch.model = InPieces{.objective = objective};
  return sketch.build();
}

}  // namespace

TEST_CASE("the branches of each fork are what is behind one successor alone") {
  const Problem problem = blocks(Objective::kLatency);
  const RegionMoves regions(problem);
  REQUIRE(regions.branch_count() == 6);
  std::set<std::vector<UnitId>> found;
  for (std::size_t i = 0; i < regions.branch_count(); ++i)
    found.insert({regions.branch(i).begin(), regions.branch(i).end()});
  CHECK(found.count({UnitId{1}, UnitId{2}}) == 1);  // a0, a1 of the first block
  CHECK(found.count({UnitId{3}, UnitId{4}}) == 1);
  CHECK(found.count({UnitId{13}, UnitId{14}}) == 1);
}

TEST_CASE("draws are allowed changes that change something") {
  Rng rng(4);
  for (int round = 0; round < 200; ++round) {
    fixtures::RandomShape shape{.max_nodes = 12};
    shape.execution = fixtures::ExecutionKind::kPieces;
    const Problem problem = fixtures::random_problem(rng, shape);
    const SearchState state(problem, to_units(problem, fixtures::random_placement(rng, problem)));
    const RegionMoves regions(problem);
    std::vector<SearchState::Change> changes;
    for (int k = 0; k < 20; ++k) {
      regions.draw(state, rng, changes);
      std::set<UnitId> moved;
      for (const SearchState::Change& change : changes) {
        REQUIRE(moved.insert(change.unit).second);
        REQUIRE(state.may_move(change.unit, change.device));
        REQUIRE(state.device_of(change.unit) != change.device);
      }
    }
  }
}

TEST_CASE("auto runs whole branches in parallel, and keeps one device when borders cost too much") {
  // One device: 1 + 3 * 81 + 6. Two: in each block 40 beside 40, and pieces begin in between:
  // start | a | join a | a | join a | a | join: 7 pieces on one device, 3 * 40 + 4 + 7 * 6 and six
  // hand-overs of 0.1 in sequence. 166.6 < 250.
  const Problem problem = blocks(Objective::kLatency);
  Budget budget({.seconds = std::nullopt, .evaluations = 20000});
  const Result result = run_placer("auto", problem, 1, budget);
  REQUIRE(result.simulation);
  CHECK(result.simulation->value.count() < 170);
  // When a piece costs 60 more, nothing is better than one.
  Cluster dear = problem.cluster();
  for (const DeviceId id : dear.devices()) {
    Device device = dear.device(id);
    device.piece_overhead = Duration{60};
    dear.set_device(id, device);
  }
  Budget again({.seconds = std::nullopt, .evaluations = 20000});
  const Result single = run_placer("auto", problem.with_cluster(dear), 1, again);
  REQUIRE(single.placement);
  const std::vector<DeviceId>& used = single.placement->device_of.items();
  CHECK(std::count(used.begin(), used.end(), used.front()) ==
        static_cast<std::ptrdiff_t>(used.size()));
}
