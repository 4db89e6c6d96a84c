#include "berth/runtime/run_as.h"

#include <doctest/doctest.h>

#include "berth/runtime/calibrate.h"
#include "berth/runtime/model_problem.h"
#include "tests/support/sketch.h"

using namespace berth;

namespace {

// Two chains a -> c and b -> d, which do not touch: a and b on the first device, c and d on the
// second. c or d takes long.
Problem two_chains(double c_micros, double d_micros) {
  Sketch sketch("chains", 2, 2);
  const NodeId a = sketch.node("a", {10, 10}), b = sketch.node("b", {10, 10}),
               c = sketch.node("c", {c_micros, c_micros}),
               d = sketch.node("d", {d_micros, d_micros});
  sketch.tensor(a, 1, {c});
  sketch.tensor(b, 1, {d});
  return piece_problem(sketch.build(), no_calibration(2));
}

}  // namespace

TEST_CASE("the piece with the longest way to go comes first in the order") {
  const Placement placement = placed({0, 0, 1, 1});
  const NodeId a{0}, b{1}, c{2}, d{3};
  // Ranks: a 10 + 90, c 90, b 10 + 20, d 20.
  CHECK(with_predicted_order(two_chains(90, 20), placement).order == std::vector{a, c, b, d});
  CHECK(with_predicted_order(two_chains(20, 90), placement).order == std::vector{b, d, a, c});
}

TEST_CASE("an order that is there stays, and other executions have none to offer") {
  const Placement asked = placed({0, 0, 1, 1}, {NodeId{1}, NodeId{3}, NodeId{0}, NodeId{2}});
  CHECK(with_predicted_order(two_chains(90, 20), asked) == asked);
  const Placement free = placed({0, 0, 1, 1});
  CHECK(with_predicted_order(two_chains(90, 20).with_model({}), free) == free);
}
