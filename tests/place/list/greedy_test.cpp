#include "berth/place/list/greedy.h"

#include <vector>

#include <doctest/doctest.h>

#include "berth/place/registry.h"
#include "berth/sim/evaluate.h"
#include "tests/support/sketch.h"

using namespace berth;

namespace {

Outcome greedy(const Problem& problem) {
  Budget budget;
  Rng rng(1);
  return run_method("greedy", problem, budget, rng);
}

// d0 is the CPU, d1 and d2 are accelerators of 10 bytes.
Sketch call_sketch(std::vector<std::int64_t> sizes) {
  Sketch sketch("call", 3, 1);
  sketch.model = CallLatency{};
  for (std::size_t i = 0; i < sizes.size(); ++i)
    sketch.at(sketch.node(std::string(1, static_cast<char>('a' + i)), {10, 1, 1})).weights =
        Bytes{sizes[i]};
  sketch.set_memory(1, 10);
  sketch.set_memory(2, 10);
  return sketch;
}

}  // namespace

TEST_CASE("greedy is list placement without gaps outside the call model") {
  // As in heft_test: e could fill the gap on d0 but goes to its end, 19.
  Sketch sketch("gap", 2);
  const NodeId a = sketch.node("a", {1, kNever}), b = sketch.node("b", {kNever, 10});
  const NodeId c = sketch.node("c", {5, kNever});
  sketch.node("e", {3, kNever});
  sketch.tensor(a, 0, {b});
  sketch.tensor(b, 0, {c});
  const Problem problem = sketch.build();
  const Outcome outcome = greedy(problem);
  REQUIRE(outcome.placement);
  CHECK(simulate(problem, *outcome.placement).value == Duration{19});
}

TEST_CASE("call latency: accelerators are filled one after another, the rest goes to the CPU") {
  // Chain of 4, 4, 4, 4, 4: two fit on each accelerator.
  Sketch sketch = call_sketch({4, 4, 4, 4, 4});
  for (std::uint32_t i = 0; i < 4; ++i) sketch.tensor(NodeId{i}, 0, {NodeId{i + 1}});
  const Outcome outcome = greedy(sketch.build());
  REQUIRE(outcome.placement);
  CHECK(outcome.placement->device_of == placed({1, 1, 2, 2, 0}).device_of);
}

TEST_CASE(
    "call latency: a block larger than an accelerator goes to the CPU and closes the open one") {
  Sketch sketch = call_sketch({2, 11, 2});
  for (std::uint32_t i = 0; i < 2; ++i) sketch.tensor(NodeId{i}, 0, {NodeId{i + 1}});
  const Outcome outcome = greedy(sketch.build());
  REQUIRE(outcome.placement);
  CHECK(outcome.placement->device_of == placed({1, 0, 2}).device_of);
}

TEST_CASE("call latency: the walk is depth first, the last branch pushed is taken first") {
  // a -> b -> d and a -> c -> e, uses of a in the order b, c: the stack gives a, c, e, b, d.
  Sketch sketch = call_sketch({4, 3, 3, 3, 3});
  const NodeId a{0}, b{1}, c{2}, d{3}, e{4};
  sketch.tensor(a, 0, {b, c});
  sketch.tensor(b, 0, {d});
  sketch.tensor(c, 0, {e});
  const Outcome outcome = greedy(sketch.build());
  REQUIRE(outcome.placement);
  CHECK(outcome.placement->device_of == placed({1, 2, 1, 2, 1}).device_of);
}

TEST_CASE("call latency: units that feed each other are one block") {
  // Units {a,c} and {b,d} with a -> b and d -> c: neither can run in one call before the other, and
  // 3 + 3 + 3 + 3 > 10, so all go to the CPU. e fits on an accelerator.
  Sketch sketch = call_sketch({3, 3, 3, 3, 3});
  const NodeId a{0}, b{1}, c{2}, d{3};
  sketch.tensor(a, 0, {b});
  sketch.tensor(d, 0, {c});
  sketch.constraints.together = {{a, c}, {b, d}};
  const Outcome outcome = greedy(sketch.build());
  REQUIRE(outcome.placement);
  CHECK(outcome.placement->device_of == placed({0, 0, 0, 0, 1}).device_of);
}

TEST_CASE("call latency: support and pins come before filling") {
  Sketch sketch("pins", 3, 1);
  sketch.model = CallLatency{};
  const NodeId a = sketch.node("a", {10, 1, 1}), b = sketch.node("b", {10, kNever, kNever});
  const NodeId c = sketch.node("c", {10, 1, 1});
  sketch.tensor(a, 0, {b});
  sketch.tensor(b, 0, {c});
  sketch.constraints.forbid = {{c, DeviceId{0}}};
  sketch.constraints.pin = {{a, DeviceId{2}}};
  const Problem problem = sketch.build();
  const Outcome outcome = greedy(problem);
  REQUIRE(outcome.placement);
  CHECK(outcome.placement->device_of == placed({2, 0, 1}).device_of);
  CHECK(!simulate(problem, *outcome.placement).broken);
}
