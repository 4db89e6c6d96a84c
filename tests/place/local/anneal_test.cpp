#include "berth/place/local/anneal.h"

#include <doctest/doctest.h>

#include "berth/place/run_placer.h"
#include "berth/solvers/milp.h"
#include "tests/support/sketch.h"

using namespace berth;

namespace {

// Two swapped pairs on two equal accelerators: a -> b and c -> d belong together.
Problem two_pairs() {
  Sketch sketch("pairs", 2);
  sketch.model = MaxLoad{.route = Route::kHost};
  // Times per tensor: between any device and the host.
  const NodeId a = sketch.node("a", {4, 4}), b = sketch.node("b", {4, 4}),
               c = sketch.node("c", {4, 4}), d = sketch.node("d", {4, 4});
  sketch.tensor(a, 2, {b});
  sketch.tensor(c, 2, {d});
  sketch.transfers =
      TransferTimes::per_tensor(IdVector<TensorId, Duration>({Duration{2}, Duration{2}}));
  return sketch.build();
}

}  // namespace

TEST_CASE("annealing ends as soon as it meets the lower bound") {
  // 16 of work on two devices: 8 is the bound, and the pairs reach it.
  const Result result = run_placer("anneal(seeds=single-device,steps=100000)", two_pairs());
  REQUIRE(result.placement);
  CHECK(result.simulation->value == Duration{8});
  CHECK(result.proven_optimal);
  CHECK(result.evaluations < 10000);
}

TEST_CASE("neighbourhoods solved exactly find what few steps of annealing miss" *
          doctest::skip(!milp_available())) {
  // Steps for next to nothing; on two devices one neighbourhood is the whole problem.
  const Result result = run_placer("anneal(seeds=single-device,steps=1,lns=true)", two_pairs());
  REQUIRE(result.placement);
  CHECK(result.simulation->value == Duration{8});
}
