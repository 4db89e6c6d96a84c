#include "berth/sim/memory.h"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "berth/sim/evaluate.h"
#include "tests/support/sketch.h"

using namespace berth;

namespace {

MemoryUse use(std::int64_t weights, std::int64_t activations, std::int64_t buffers,
              std::int64_t workspace) {
  MemoryUse result;
  result.weights = Bytes{weights};
  result.activations = Bytes{activations};
  result.buffers = Bytes{buffers};
  result.workspace = Bytes{workspace};
  return result;
}

void check_use(const MemoryUse& found, const MemoryUse& expected, double moment) {
  CHECK(found.weights.count == expected.weights.count);
  CHECK(found.activations.count == expected.activations.count);
  CHECK(found.buffers.count == expected.buffers.count);
  CHECK(found.workspace.count == expected.workspace.count);
  CHECK(found.moment.count() == doctest::Approx(moment));
}

// a (2 us, weights 1, makes 10 bytes) -> b (3 us, weights 2, workspace 5, makes 4 bytes).
Sketch pair_sketch() {
  Sketch sketch("pair", 2);
  const NodeId a = sketch.node("a", {2, 2}), b = sketch.node("b", {3, 3});
  sketch.at(a).weights = Bytes{1};
  sketch.at(b).weights = Bytes{2};
  sketch.at(b).workspace = Bytes{5};
  sketch.tensor(a, 10, {b});
  sketch.tensor(b, 4, {});
  return sketch;
}

IdVector<DeviceId, MemoryUse> memory(const Problem& problem, const Placement& placement) {
  return simulate(problem, placement).memory;
}

}  // namespace

TEST_CASE("on one device the peak comes when the last node runs") {
  // 0-2: weights 3 + a's 10 = 13. 2-5: 3 + 10 + b's 4 + workspace 5 = 22, first at 2.
  const auto found = memory(pair_sketch().build(), placed({0, 0}));
  check_use(found[DeviceId{0}], use(3, 14, 0, 5), 2);
  check_use(found[DeviceId{1}], use(0, 0, 0, 0), 0);
}

TEST_CASE("a sent tensor stays until the end of its transfer, and is a buffer where it arrives") {
  // a 0-2 on d0, 10 bytes move 2-12, b 12-15 on d1.
  // d0: weights 1 + 10 from 0 on. d1: weights 2, buffer 10 from 2; from 12 also 4 and workspace 5.
  const auto found = memory(pair_sketch().build(), placed({0, 1}));
  check_use(found[DeviceId{0}], use(1, 10, 0, 0), 0);
  check_use(found[DeviceId{1}], use(2, 4, 10, 5), 12);
}

TEST_CASE("what ends at an instant makes room for what starts then") {
  // a -> b -> c -> d in a chain of 1 us nodes that make 8, 6, 4 and 9 bytes:
  // 0-1: 8; 1-2: 8 + 6 = 14; 2-3: 6 + 4 = 10; 3-4: 4 + 9 = 13. Peak 14 at 1, not 18 or 19.
  Sketch sketch("chain", 1);
  std::vector<NodeId> n;
  for (int i = 0; i < 4; ++i) n.push_back(sketch.node(fmt::format("n{}", i), {1}));
  const std::int64_t bytes[] = {8, 6, 4, 9};
  for (std::size_t i = 0; i < 3; ++i) sketch.tensor(n[i], bytes[i], {n[i + 1]});
  sketch.tensor(n[3], bytes[3], {});
  check_use(memory(sketch.build(), placed({0, 0, 0, 0}))[DeviceId{0}], use(0, 14, 0, 0), 1);
}

TEST_CASE("outputs of the model stay until the end") {
  // a makes 7 bytes that nobody uses, b (after it on the device) makes 5: 12 while b runs.
  Sketch sketch("outputs", 1);
  const NodeId a = sketch.node("a", {2}), b = sketch.node("b", {1});
  sketch.tensor(a, 7, {});
  sketch.tensor(b, 5, {});
  check_use(memory(sketch.build(), placed({0, 0}))[DeviceId{0}], use(0, 12, 0, 0), 2);
}

TEST_CASE("a tensor with users here and away lives until the later of use and transfer") {
  // s 0-1 makes 3 bytes; sent to d1 1-4; user u on d0 1-2, then x (workspace 2) 2-3 on d0.
  // At 2 the tensor is still being sent: 3 + 2 = 5.
  Sketch sketch("both", 2);
  const NodeId s = sketch.node("s", {1, 1}), u = sketch.node("u", {1, 1});
  const NodeId x = sketch.node("x", {1, 1}), away = sketch.node("away", {1, 1});
  sketch.at(x).workspace = Bytes{2};
  const TensorId t = sketch.tensor(s, 3, {u, away});
  sketch.tensor(u, 0, {x});
  const Problem problem = sketch.build();
  check_use(memory(problem, placed({0, 0, 0, 1}))[DeviceId{0}], use(0, 3, 0, 2), 2);
  CHECK(t == TensorId{0});
}

TEST_CASE("the call model is static: all weights and the largest workspace") {
  Sketch sketch("call", 2, 1);
  sketch.model = CallLatency{};
  const NodeId a = sketch.node("a", {1, 1}), b = sketch.node("b", {1, 1});
  sketch.at(a).weights = Bytes{10};
  sketch.at(b).weights = Bytes{20};
  sketch.at(a).workspace = Bytes{7};
  sketch.at(b).workspace = Bytes{3};
  sketch.tensor(a, 1000, {b});
  check_use(memory(sketch.build(), placed({1, 1}))[DeviceId{1}], use(30, 0, 0, 7), 0);
}

TEST_CASE("an inference pipeline receives the next sample while it works on this one") {
  // As above, d1's 10 received bytes once more: 2 + 4 + 20 + 5.
  Sketch sketch = pair_sketch();
  sketch.model = MaxLoad{};
  const auto found = memory(sketch.build(), placed({0, 1}));
  check_use(found[DeviceId{0}], use(1, 10, 0, 0), 0);
  check_use(found[DeviceId{1}], use(2, 4, 20, 5), 12);
}

TEST_CASE("a training pipeline stashes what the backward pass needs, per sample in flight") {
  // f0 -> f1 -> g1 -> g0, stage 0 on d0 and stage 1 on d1; f0's 4 bytes are also used by g0, f1's
  // 6 bytes by g1. 1F1B: d0 (first of two stages) holds one further sample of 4; d1 none.
  // GPipe with 3 microbatches: two further samples, 8 on d0 and 12 on d1.
  Sketch sketch("training", 2);
  const NodeId f0 = sketch.node("f0", {1, 1}), f1 = sketch.node("f1", {1, 1});
  const NodeId g1 = sketch.node("g1", {1, 1}), g0 = sketch.node("g0", {1, 1});
  for (const NodeId node : {g1, g0}) sketch.at(node).pass = Pass::kBackward;
  sketch.tensor(f0, 4, {f1, g0});
  sketch.tensor(f1, 6, {g1});
  sketch.tensor(g1, 2, {g0});
  sketch.model = MaxLoad{.microbatches = 3};
  const Placement placement = placed({0, 1, 1, 0});
  // One sample: f0 0-1, 4 bytes move 1-5, f1 5-6, g1 6-7, 2 bytes move 7-9, g0 9-10.
  // d0: 4 until 10, and 2 received from 7: 6 at 7. d1: 4 received 1-6, f1's 6 from 5: 10 at 5.
  const auto plain = memory(sketch.build(), placement);
  check_use(plain[DeviceId{0}], use(0, 4, 2 + 4, 0), 7);
  check_use(plain[DeviceId{1}], use(0, 6, 4, 0), 5);
  sketch.model = MaxLoad{.training = TrainingSchedule::kGPipe, .microbatches = 3};
  const auto gpipe = memory(sketch.build(), placement);
  check_use(gpipe[DeviceId{0}], use(0, 4, 2 + 8, 0), 7);
  check_use(gpipe[DeviceId{1}], use(0, 6, 4 + 12, 0), 5);
}

TEST_CASE("overflow is the sum of what each device lacks, relative to its limit") {
  // Peaks 11 and 21 against limits 10 and 14: 0.1 + 0.5.
  Sketch sketch = pair_sketch();
  sketch.set_memory(0, 10);
  sketch.set_memory(1, 14);
  const Problem problem = sketch.build();
  const Placement placement = placed({0, 1});
  const Simulation simulation = simulate(problem, placement);
  CHECK(memory_overflow(problem.cluster(), simulation.memory) == doctest::Approx(0.6));
  CHECK(Evaluator(problem)(placement).overflow == doctest::Approx(0.6));
  CHECK_FALSE(Evaluator(problem)(placement).feasible());
  REQUIRE(simulation.broken);
  CHECK(simulation.broken->find("d0") != std::string::npos);
  sketch.set_memory(0, 11);
  sketch.set_memory(1, 21);
  CHECK(Evaluator(sketch.build())(placement).feasible());
  CHECK_FALSE(simulate(sketch.build(), placement).broken);
}
