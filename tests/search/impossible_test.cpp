#include "berth/search/impossible.h"

#include <doctest/doctest.h>

#include "berth/place/run_placer.h"
#include "tests/support/brute_force.h"
#include "tests/support/effort.h"
#include "tests/support/fixtures.h"
#include "tests/support/shared_weights.h"
#include "tests/support/sketch.h"

using namespace berth;

namespace {

// Three nodes of 10 bytes in a row, on a CPU and two accelerators.
Sketch three_nodes() {
  Sketch sketch("three", 3, 1);
  sketch.model = MaxLoad{.route = Route::kHost};
  const NodeId a = sketch.node("a", {9, 1, 1}), b = sketch.node("b", {9, 1, 1}),
               c = sketch.node("c", {9, 1, 1});
  for (const NodeId node : {a, b, c}) sketch.at(node).weights = Bytes{10};
  sketch.tensor(a, 1, {b});
  sketch.tensor(b, 1, {c});
  return sketch;
}

}  // namespace

TEST_CASE("a node larger than any memory is named, by every exact method") {
  Sketch sketch = three_nodes();
  for (std::size_t d = 0; d < 3; ++d) sketch.set_memory(d, 20);
  sketch.at(NodeId{1}).weights = Bytes{25};
  for (const char* method : {"ideal-dp", "linear-dp", "auto", "greedy"}) {
    CAPTURE(method);
    const Result result = run_placer(method, sketch.build());
    CHECK_FALSE(result.placement);
    CHECK(result.reason == "node 'b' needs 25 bytes, but the largest device it may use has 20");
  }
}

TEST_CASE("pins that overfill a device, and sets that no devices tell apart, are named") {
  Sketch pinned = three_nodes();
  pinned.set_memory(1, 15);
  pinned.constraints.pin = {{NodeId{0}, DeviceId{1}}, {NodeId{2}, DeviceId{1}}};
  CHECK(why_impossible(pinned.build()) ==
        "the 2 nodes that may use only d1 need 20 bytes, but it has 15");
  Sketch apart = three_nodes();
  apart.constraints.apart = {{NodeId{0}, NodeId{1}, NodeId{2}}};
  CHECK_FALSE(why_impossible(apart.build()));
  // Two of the three may not use the CPU nor the second accelerator.
  for (const NodeId node : {NodeId{0}, NodeId{2}})
    for (const DeviceId device : {DeviceId{0}, DeviceId{2}})
      apart.constraints.forbid.push_back({node, device});
  CHECK(why_impossible(apart.build()) ==
        "3 nodes must be apart, 'a' and 'c' among them, but 2 of them have only 1 device to use");
}

TEST_CASE("more weights than all devices hold are named") {
  Sketch sketch = three_nodes();
  for (std::size_t d = 0; d < 3; ++d) sketch.set_memory(d, d == 0 ? 10 : 9);
  sketch.at(NodeId{1}).weights = sketch.at(NodeId{2}).weights = Bytes{9};
  sketch.at(NodeId{0}).weights = Bytes{10};
  CHECK_FALSE(why_impossible(sketch.build()));
  sketch.node("d", {1, 1, 1});
  sketch.at(NodeId{3}).weights = Bytes{1};
  CHECK(why_impossible(sketch.build()) ==
        "the weights need 29 bytes, but all devices together have 28");
}

TEST_CASE("a unit needs the shared weights that it uses, wherever they are held") {
  // A user with 5 bytes of its own reads 8 that lie on d0: on d1, its only device, it needs 13.
  Sketch sketch("shared", 2);
  const NodeId user = sketch.node("user", {kNever, 1}), other = sketch.node("other", {1, kNever});
  sketch.at(user).weights = Bytes{5};
  sketch.shared_weight("weight", 8, {user, other});
  sketch.set_memory(1, 13);
  CHECK_FALSE(why_impossible(sketch.build()));
  sketch.set_memory(1, 12);
  CHECK(why_impossible(sketch.build()) ==
        "node 'user' needs 13 bytes, but the largest device it may use has 12");
  // Two users that must be on d1 need the weight once: 5 + 1 + 8.
  const NodeId second = sketch.node("second", {kNever, 1});
  sketch.at(second).weights = Bytes{1};
  sketch.tensor(user, 0, {second});
  sketch.shared_weight("small", 2, {second, other});
  sketch.set_memory(1, 15);
  CHECK(why_impossible(sketch.build()) ==
        "the 2 nodes that may use only d1 need 16 bytes, but it has 15");
}

TEST_CASE("what is called impossible has no feasible placement") {
  Rng rng(77);
  int impossible = 0;
  for (int round = 0; round < effort(1500); ++round) {
    CAPTURE(round);
    Problem problem = fixtures::random_problem(rng, {.max_nodes = 5});
    Rng of_weights(static_cast<std::uint64_t>(round));
    if (round % 3 == 0) problem = with_shared_weights(problem, of_weights);
    if (!why_impossible(problem)) continue;
    ++impossible;
    Evaluator evaluator(problem);
    const BruteForce all = brute_force(problem, [&](const Placement& placement) {
      return evaluator(placement).feasible() ? std::optional(1.0) : std::nullopt;
    });
    REQUIRE(all.feasible == 0);
  }
  CHECK(impossible > 0);
}
