// Two users of one weight on two devices, worked out by hand: time, traffic and memory.

#include <doctest/doctest.h>

#include "berth/graph/backward.h"
#include "berth/sim/evaluate.h"
#include "tests/support/sketch.h"

using namespace berth;

namespace {

constexpr DeviceId kFirst{0}, kSecond{1};

// weight (8 bytes) -> a (2 us, makes 4 bytes) and b (4 us, reads them, makes 4 bytes).
// Nodes: a 0, b 1, weight 2. Links take a microsecond per byte.
Problem inference() {
  Sketch sketch("inference", 2);
  const NodeId a = sketch.node("a", {2, 2}), b = sketch.node("b", {4, 4});
  sketch.tensor(a, 4, {b});
  sketch.tensor(b, 4, {});
  sketch.shared_weight("weight", 8, {a, b});
  return sketch.build();
}

// The same as matrix products, with the backward pass of graph/backward.h. Further nodes:
// weight/update 3 (1 us), b/grad 4 and b/weight-grad 5 (4 us), a/weight-grad 6 (2 us).
Problem training(Optimizer optimizer) {
  GraphBuilder builder;
  const NodeId a = builder.add_node({.name = "a", .op_type = "MatMul"});
  const NodeId b = builder.add_node({.name = "b", .op_type = "MatMul"});
  const NodeId weight =
      builder.add_node({.name = "weight", .op_type = "Constant", .weights = Bytes{8}});
  builder.add_use(builder.add_tensor(a, {.size = Bytes{4}}), b);
  builder.add_tensor(b, {.size = Bytes{4}});
  const TensorId shared =
      builder.add_tensor(weight, {.size = Bytes{8}, .role = TensorRole::kWeight});
  builder.add_use(shared, a);
  builder.add_use(shared, b);
  Graph graph = with_backward_pass(std::move(builder).build(), optimizer);
  REQUIRE(graph.node_count() == 7);
  const char* const names[] = {
      "a", "b", "weight", "weight/update", "b/grad", "b/weight-grad", "a/weight-grad"};
  const double micros[] = {2, 4, 0, 1, 4, 4, 2};
  NodeTimes times(7, 2);
  for (const NodeId node : graph.nodes()) {
    REQUIRE(graph.node(node).name == names[index(node)]);
    for (const DeviceId device : {kFirst, kSecond})
      times.set(node, device, Duration{micros[index(node)]});
  }
  return Problem("training", std::move(graph), Sketch("", 2).cluster, {std::move(times), {}});
}

std::int64_t peak(const Simulation& simulation, DeviceId device) {
  return simulation.memory[device].peak().count;
}

}  // namespace

TEST_CASE("a shared weight is sent once per run, and its copy is kept all the time") {
  // weight and a on d0, b on d1. The weight moves 0-8, a runs 0-2, its 4 bytes move 8-12 behind
  // the weight, b runs 12-16.
  const Simulation apart = simulate(inference(), placed({0, 1, 0}));
  CHECK(apart.value == Duration{16});
  CHECK(apart.crossings == 2);
  CHECK(apart.crossing_bytes == Bytes{8 + 4});
  // d0: the weight 8, a's output 4. d1: the copy 8, the buffer 4, b's output 4.
  CHECK(peak(apart, kFirst) == 12);
  CHECK(apart.memory[kFirst].weights == Bytes{8});
  CHECK(peak(apart, kSecond) == 16);
  CHECK(apart.memory[kSecond].weights == Bytes{8});
  CHECK(apart.memory[kSecond].buffers == Bytes{4});
}

TEST_CASE("on one device a shared weight costs its bytes and nothing else") {
  // a 0-2, b 2-6; the weight 8 and both outputs.
  const Simulation together = simulate(inference(), placed({0, 0, 0}));
  CHECK(together.value == Duration{6});
  CHECK(together.crossings == 0);
  CHECK(peak(together, kFirst) == 16);
  CHECK(peak(together, kSecond) == 0);
}

TEST_CASE("a weight that lies where nobody uses it is held there and where it is used") {
  // The weight moves 0-8 to d0, then a 8-10, b 10-14. d1 keeps the weight, d0 a copy.
  const Simulation away = simulate(inference(), placed({0, 0, 1}));
  CHECK(away.value == Duration{14});
  CHECK(away.crossing_bytes == Bytes{8});
  CHECK(peak(away, kFirst) == 16);
  CHECK(peak(away, kSecond) == 8);
}

TEST_CASE("training sends one sum of gradients back, added to in place") {
  // weight, its update and a on d0, b on d1:
  //   d0  a 0-2                                            a/weight-grad 32-34, update 34-35
  //   d1       b 12-16, b/grad 16-20, b/weight-grad 20-24
  //   d0 to d1: the weight 0-8, a's output 8-12.   d1 to d0: b/grad's output 20-24, the sum 24-32.
  const Placement placement = placed({0, 1, 0, 0, 1, 1, 0});
  const Simulation apart = simulate(training(Optimizer::kSgd), placement);
  CHECK(apart.value == Duration{35});
  CHECK(apart.crossings == 4);
  CHECK(apart.crossing_bytes == Bytes{8 + 4 + 8 + 4});
  // d0 from 24: the weight 8, the gradient 4, the sum so far 8. From 32 the next sum has the room of
  // that one.
  CHECK(peak(apart, kFirst) == 20);
  CHECK(apart.memory[kFirst].moment == Duration{24});
  // d1 from 20: the copy 8, a's output 4, b's 4, the sum 8 on its way, the gradient 4.
  CHECK(peak(apart, kSecond) == 28);
  CHECK(apart.memory[kSecond].weights == Bytes{8});

  // Adam's two moments are kept where the update is, not with the copy.
  const Simulation adam = simulate(training(Optimizer::kAdam), placement);
  CHECK(adam.value == Duration{35});
  CHECK(peak(adam, kFirst) == 20 + 16);
  CHECK(peak(adam, kSecond) == 28);
}

TEST_CASE("training on one device moves nothing") {
  // 2 + 4 + 4 + 4 + 2 + 1 in a row.
  const Simulation together = simulate(training(Optimizer::kSgd), placed({0, 0, 0, 0, 0, 0, 0}));
  CHECK(together.value == Duration{17});
  CHECK(together.crossings == 0);
  CHECK(together.memory[kFirst].weights == Bytes{8});
  CHECK(peak(together, kSecond) == 0);
}
