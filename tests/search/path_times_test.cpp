#include "berth/search/path_times.h"

#include <doctest/doctest.h>

#include "tests/support/sketch.h"

using namespace berth;

TEST_CASE("heads and tails meet at each node") {
  // a (d0: 1, d1: 2) -> b (d1 only: 3) -> c (d0 only: 4); each tensor takes 10 between devices.
  Sketch sketch("line", 2);
  const NodeId a = sketch.node("a", {1, 2}), b = sketch.node("b", {kNever, 3}),
               c = sketch.node("c", {4, kNever});
  sketch.tensor(a, 10, {b});
  sketch.tensor(b, 10, {c});
  const Problem problem = sketch.build();
  const PathTimes head = head_times(problem), tail = tail_times(problem);
  CHECK(head.at(a, DeviceId{0}) == doctest::Approx(1));
  CHECK(head.at(b, DeviceId{1}) == doctest::Approx(5));   // a on d1
  CHECK(head.at(c, DeviceId{0}) == doctest::Approx(19));  // 5 + 10 + 4
  CHECK(tail.at(c, DeviceId{0}) == doctest::Approx(4));
  CHECK(tail.at(b, DeviceId{1}) == doctest::Approx(17));  // 3 + 10 + 4
  CHECK(tail.at(a, DeviceId{0}) == doctest::Approx(28));  // 1 + 10 + 17
  CHECK(tail.at(a, DeviceId{1}) == doctest::Approx(19));
  CHECK(tail.at(b, DeviceId{0}) == kForever.count());
  CHECK(longest_path(problem) == doctest::Approx(19));
}

TEST_CASE("a node that must choose pays on one side: more than heads or tails alone see") {
  // a on d0 only, c on d1 only, b between them anywhere (1), transfers 10 into b and 10 out of it:
  // heads end at 1 + 1 for b on d0, tails the like; through b it is 1 + 1 + 10 + 1 either way.
  Sketch sketch("middle", 2);
  const NodeId a = sketch.node("a", {1, kNever}), b = sketch.node("b", {1, 1}),
               c = sketch.node("c", {kNever, 1});
  sketch.tensor(a, 10, {b});
  sketch.tensor(b, 10, {c});
  CHECK(longest_path(sketch.build()) == doctest::Approx(13));
}

TEST_CASE("nodes of one unit share the device on every path") {
  // a and b together; a is fast on d0, b on d1, transfers are free: 1 + 9 or 9 + 1, never 1 + 1.
  Sketch sketch("tied", 2);
  const NodeId a = sketch.node("a", {1, 9}), b = sketch.node("b", {9, 1});
  sketch.tensor(a, 0, {b});
  sketch.constraints.together = {{a, b}};
  CHECK(longest_path(sketch.build()) == doctest::Approx(10));
}
