#include "berth/learn/grouped_sets.h"

#include <doctest/doctest.h>

#include "tests/support/sketch.h"

namespace berth {
namespace {

// Sets 0 and 2 are one group, 1 and 3 the other; set 2 does not run on the last device.
GroupedSets two_groups() {
  Sketch sketch("four", 3);
  const NodeId a = sketch.node("a", {3, 3, 3}), b = sketch.node("b", {1, 1, 1});
  const NodeId c = sketch.node("c", {1, 1, kNever}), d = sketch.node("d", {0, 0, 0});
  sketch.tensor(a, 1, {b});
  sketch.tensor(b, 1, {c});
  sketch.tensor(c, 1, {d});
  return {policy_graph(sketch.build(), Colocation::kUnits), {{0, 1, 0, 1}, 2}};
}

TEST_CASE("a group may use what all its sets may use") {
  CHECK(two_groups().allowed() == std::vector<std::uint8_t>{1, 1, 0, 1, 1, 1});
  CHECK(two_groups().members() == std::vector<SetGroup>{{0, 2}, {1, 3}});
}

TEST_CASE("sets follow their group, and back") {
  const GroupedSets groups = two_groups();
  CHECK(groups.expanded({1, 2}) == SetDevices{1, 2, 1, 2});
  CHECK(groups.contracted({1, 2, 1, 2}) == std::vector<std::uint32_t>{1, 2});
}

TEST_CASE("a placement that cuts a group is rounded to where most of its time is") {
  const GroupedSets groups = two_groups();
  // a: 3 us on the first device, c: 1 us on the second. b: 1 us, d: none.
  const SetDevices cut{0, 2, 1, 1};
  const std::vector<double> shares = groups.shares(cut);
  CHECK(shares[0] == doctest::Approx(0.75));
  CHECK(shares[1] == doctest::Approx(0.25));
  CHECK(shares[5] == doctest::Approx(1));
  CHECK(groups.rounded(cut) == std::vector<std::uint32_t>{0, 2});
  // The last device runs a, but not its group: what is left decides.
  CHECK(groups.shares({2, 0, 1, 0})[2] == 0);
  CHECK(groups.rounded({2, 0, 1, 0}) == std::vector<std::uint32_t>{1, 0});
}

}  // namespace
}  // namespace berth
