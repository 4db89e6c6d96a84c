#include "berth/search/merge_subgraphs.h"

#include <doctest/doctest.h>

#include "berth/place/run_placer.h"
#include "berth/sim/evaluate.h"
#include "tests/support/fixtures.h"
#include "tests/support/sketch.h"

using namespace berth;

namespace {

// n0 -> n1 -> ...; even nodes are faster on d0, odd ones on d1.
Problem zigzag(int nodes, int max_subgraphs) {
  Sketch sketch("zigzag", 2);
  std::vector<NodeId> ids;
  for (int i = 0; i < nodes; ++i) {
    const double weight = 10 + i;
    ids.push_back(sketch.node("n" + std::to_string(i), i % 2 == 0
                                                           ? std::vector{weight, 2 * weight}
                                                           : std::vector{2 * weight, weight}));
    if (i > 0) sketch.tensor(ids[static_cast<std::size_t>(i) - 1], 1, {ids.back()});
  }
  sketch.model.max_subgraphs = max_subgraphs;
  return sketch.build();
}

std::size_t subgraphs(const Problem& problem, const IdVector<UnitId, DeviceId>& device_of) {
  return simulate(problem, from_units(problem, device_of)).subgraphs;
}

}  // namespace

TEST_CASE("a placement within the limit, or without one, stays as it is") {
  Budget budget;
  IdVector<UnitId, DeviceId> alternating(6, DeviceId{0});
  for (const UnitId unit : alternating.ids())
    alternating[unit] = static_cast<DeviceId>(index(unit) % 2);
  CHECK(merge_subgraphs(zigzag(6, 0), alternating, budget) == alternating);
  CHECK(merge_subgraphs(zigzag(6, 6), alternating, budget) == alternating);
}

TEST_CASE("subgraphs are merged until the limit is kept, the cheapest first") {
  for (int most = 1; most <= 5; ++most) {
    CAPTURE(most);
    const Problem problem = zigzag(6, most);
    IdVector<UnitId, DeviceId> alternating(6, DeviceId{0});
    for (const UnitId unit : alternating.ids())
      alternating[unit] = static_cast<DeviceId>(index(unit) % 2);
    Budget budget;
    const auto merged = merge_subgraphs(problem, alternating, budget);
    REQUIRE(merged);
    CHECK(subgraphs(problem, *merged) <= static_cast<std::size_t>(most));
    CHECK(simulate(problem, from_units(problem, *merged)).feasible());
    CHECK(budget.evaluations() > 0);
    if (most == 5) CHECK((*merged)[UnitId{0}] == DeviceId{1});  // the smallest node moves
  }
}

TEST_CASE("pins that need more subgraphs than allowed leave nothing to merge, and are named") {
  Sketch sketch("pinned", 2);
  const NodeId a = sketch.node("a", {1, 1}), b = sketch.node("b", {1, 1});
  sketch.tensor(a, 1, {b});
  sketch.constraints.pin = {{a, DeviceId{0}}, {b, DeviceId{1}}};
  sketch.model.max_subgraphs = 1;
  const Problem problem = sketch.build();
  Budget budget;
  CHECK_FALSE(
      merge_subgraphs(problem, IdVector<UnitId, DeviceId>({DeviceId{0}, DeviceId{1}}), budget));
  const Result result = run_placer("auto", problem, 1);
  CHECK_FALSE(result.placement);
  CHECK(result.reason ==
        "2 devices have nodes that may run nowhere else, but at most 1 subgraph may be");
}

TEST_CASE("auto finds the best placement with at most three subgraphs") {
  // Of 2^10 placements, by trying all.
  const Problem problem = zigzag(10, 3);
  Evaluator evaluator(problem);
  Duration least = kForever;
  for (unsigned bits = 0; bits < 1024; ++bits) {
    std::vector<int> devices;
    for (unsigned i = 0; i < 10; ++i) devices.push_back((bits >> i) & 1U ? 1 : 0);
    const Score score = evaluator(placed(devices));
    if (score.feasible()) least = std::min(least, score.value);
  }
  const Result result = run_placer("auto", problem, 1);
  REQUIRE(result.placement);
  CHECK(result.simulation->subgraphs <= 3);
  CHECK(result.simulation->value == least);
}
