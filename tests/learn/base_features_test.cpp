#include "berth/learn/base_features.h"

#include <doctest/doctest.h>

#include "tests/support/sketch.h"

namespace berth {
namespace {

TEST_CASE(
    "a placement tells equal devices apart: what is there, what goes there, what works there") {
  // a -> b -> c -> d with 10, 20 and 30 bytes; 1, 2, 3 and 4 us on either device.
  Sketch sketch("row", 2, 1);
  const NodeId a = sketch.node("a", {1, 1}), b = sketch.node("b", {2, 2});
  const NodeId c = sketch.node("c", {3, 3}), d = sketch.node("d", {4, 4});
  sketch.tensor(a, 10, {b});
  sketch.tensor(b, 20, {c});
  sketch.tensor(c, 30, {d});
  const PolicyGraph graph = policy_graph(sketch.build(), Colocation::kUnits);
  const std::vector<SetGroup> groups{{1, 2}, {3}};
  const std::vector<BaseFeatures> found = base_features(graph, groups, {0, 0, 1, 1});
  REQUIRE(found.size() == 4);
  const auto check = [](const BaseFeatures& is, double here, double traffic, double load) {
    CHECK(is[0] == doctest::Approx(here));
    CHECK(is[1] == doctest::Approx(traffic));
    CHECK(is[2] == doctest::Approx(load));
  };
  // {b, c}: half of it on each; 10 bytes from a on d0, 30 to d on d1; a works 1 us, d 4 us of 10.
  check(found[0], 0.5, 0.25, 0.1);
  check(found[1], 0.5, 0.75, 0.4);
  // {d}: on d1; all its bytes come from there; a and b on d0 work 3 us, c on d1 3 us.
  check(found[2], 0, 0, 0.3);
  check(found[3], 1, 1, 0.3);
}

}  // namespace
}  // namespace berth
