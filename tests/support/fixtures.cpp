#include "tests/support/fixtures.h"

#include <stdexcept>
#include <utility>

#include <fmt/format.h>

#include "tests/support/sketch.h"

namespace berth::fixtures {
namespace {

// a -> b -> c -> d, the middle faster on the second device.
Sketch chain_sketch(const std::string& name, std::size_t hosts = 0) {
  Sketch sketch(name, 2, hosts);
  const NodeId a = sketch.node("a", {2, 4}), b = sketch.node("b", {9, 3});
  const NodeId c = sketch.node("c", {8, 3}), d = sketch.node("d", {2, 5});
  sketch.tensor(a, 2, {b});
  sketch.tensor(b, 3, {c});
  sketch.tensor(c, 1, {d});
  return sketch;
}

// s -> {b1, b2, b3} -> j on equal devices.
Sketch fork_join_sketch(const std::string& name, std::size_t devices = 3, std::size_t hosts = 0) {
  Sketch sketch(name, devices, hosts);
  const auto times = [&](double micros) { return std::vector<double>(devices, micros); };
  const NodeId s = sketch.node("split", times(2));
  std::vector<NodeId> branches;
  for (int i = 1; i <= 3; ++i)
    branches.push_back(sketch.node(fmt::format("branch{}", i), times(5 + i)));
  const NodeId j = sketch.node("join", times(3));
  sketch.tensor(s, 1, branches);
  for (const NodeId branch : branches) sketch.tensor(branch, 2, {j});
  return sketch;
}

// Two chains of three that share nothing.
Sketch branches_sketch(const std::string& name) {
  Sketch sketch(name, 2);
  for (const char* branch : {"left", "right"}) {
    std::vector<NodeId> chain;
    for (int i = 0; i < 3; ++i)
      chain.push_back(sketch.node(fmt::format("{}{}", branch, i), {4.0 + i, 5.0}));
    sketch.tensor(chain[0], 2, {chain[1]});
    sketch.tensor(chain[1], 2, {chain[2]});
    sketch.tensor(chain[2], 1, {});
  }
  return sketch;
}

// Forward a -> b -> c, backward c' -> b' -> a', the mates co-located, activations kept for them.
Sketch training_sketch(const std::string& name, std::size_t devices, std::size_t hosts = 0) {
  Sketch sketch(name, devices, hosts);
  std::vector<NodeId> forward, backward(3);
  for (int i = 0; i < 3; ++i) {
    std::vector<double> micros;
    for (std::size_t d = 0; d < devices; ++d) micros.push_back(d < hosts ? 40 : 4 + 2 * i);
    forward.push_back(sketch.node(fmt::format("f{}", i), micros));
  }
  for (int i = 2; i >= 0; --i) {
    std::vector<double> micros;
    for (std::size_t d = 0; d < devices; ++d) micros.push_back(d < hosts ? 80 : 7 + 3 * i);
    backward[i] = sketch.node(fmt::format("g{}", i), micros);
  }
  for (int i = 0; i < 3; ++i) {
    for (const NodeId node : {forward[i], backward[i]}) sketch.at(node).group = i;
    sketch.at(forward[i]).weights = Bytes{10};
    sketch.at(backward[i]).pass = Pass::kBackward;
  }
  sketch.tensor(forward[0], 2, {forward[1], backward[0]});
  sketch.tensor(forward[1], 2, {forward[2], backward[1]});
  sketch.tensor(forward[2], 2, {backward[2]});
  sketch.tensor(backward[2], 2, {backward[1]});
  sketch.tensor(backward[1], 2, {backward[0]});
  return sketch;
}

void add_shapes(std::vector<Problem>& all) {
  all.push_back(chain_sketch("chain").build());
  {
    Sketch sketch("diamond", 2);
    const NodeId a = sketch.node("a", {1, 1}), b = sketch.node("b", {6, 7});
    const NodeId c = sketch.node("c", {7, 6}), d = sketch.node("d", {1, 1});
    sketch.tensor(a, 1, {b, c});
    sketch.tensor(b, 1, {d});
    sketch.tensor(c, 2, {d});
    all.push_back(sketch.build());
  }
  all.push_back(fork_join_sketch("fork-join").build());
  all.push_back(branches_sketch("two-parallel-branches").build());
  {
    Sketch sketch("fan-out-tensor", 3);  // one tensor, five consumers, sent once per device
    const NodeId source = sketch.node("source", {1, 1, 1});
    std::vector<NodeId> users;
    for (int i = 0; i < 5; ++i) users.push_back(sketch.node(fmt::format("user{}", i), {6, 6, 6}));
    sketch.tensor(source, 4, users);
    all.push_back(sketch.build());
  }
  {
    Sketch sketch("multi-output-node", 2);
    const NodeId split = sketch.node("split", {2, 2});
    const NodeId x = sketch.node("x", {5, 6}), y = sketch.node("y", {6, 5});
    sketch.tensor(split, 1, {x});
    sketch.tensor(split, 3, {y, x});
    sketch.tensor(split, 2, {});
    all.push_back(sketch.build());
  }
  {
    Sketch sketch("tensor-without-consumers", 2);
    const NodeId a = sketch.node("a", {2, 3}), b = sketch.node("b", {3, 2});
    sketch.tensor(a, 5, {b});
    sketch.tensor(a, 7, {});
    sketch.tensor(b, 9, {});
    all.push_back(sketch.build());
  }
  {
    Sketch sketch("one-node", 2);
    sketch.tensor(sketch.node("only", {3, 2}), 1, {});
    all.push_back(sketch.build());
  }
  {
    Sketch sketch("one-device", 1);
    const NodeId a = sketch.node("a", {2}), b = sketch.node("b", {3});
    sketch.tensor(a, 5, {b});
    all.push_back(sketch.build());
  }
  {
    Sketch sketch("zero-time-nodes", 2);
    const NodeId a = sketch.node("a", {0, 0}), b = sketch.node("b", {4, 4});
    const NodeId c = sketch.node("c", {0, 0}), d = sketch.node("d", {4, 4});
    const NodeId e = sketch.node("e", {0, 0});
    sketch.tensor(a, 0, {b, c});
    sketch.tensor(c, 0, {d});
    sketch.tensor(b, 1, {e});
    sketch.tensor(d, 1, {e});
    all.push_back(sketch.build());
  }
  {
    Sketch sketch = chain_sketch("frequency");  // b is an expert, c an unrolled loop
    sketch.at(NodeId{1}).frequency = 0.25;
    sketch.at(NodeId{2}).frequency = 3;
    all.push_back(sketch.build());
  }
}

void add_memory(std::vector<Problem>& all) {
  {
    Sketch sketch = fork_join_sketch("tight-memory");  // two branches' weights fit on a device
    for (int node = 0; node < 5; ++node) {
      sketch.at(static_cast<NodeId>(node)).weights = Bytes{10};
      sketch.at(static_cast<NodeId>(node)).workspace = Bytes{1};
    }
    for (std::size_t d = 0; d < 3; ++d) sketch.set_memory(d, 28);
    all.push_back(sketch.build());
  }
  {
    Sketch sketch = chain_sketch("nothing-fits");  // 60 bytes of weights, 50 of memory
    for (int node = 0; node < 4; ++node) sketch.at(static_cast<NodeId>(node)).weights = Bytes{15};
    for (std::size_t d = 0; d < 2; ++d) sketch.set_memory(d, 25);
    all.push_back(sketch.build());
  }
}

// Three steps in a row that share a weight of 8 bytes, and a head with its own.
Sketch shared_weight_sketch(const std::string& name, std::size_t hosts = 0) {
  Sketch sketch(name, 2, hosts);
  std::vector<NodeId> steps;
  for (int i = 0; i < 3; ++i) steps.push_back(sketch.node(fmt::format("step{}", i), {6, 5}));
  const NodeId head = sketch.node("head", {4, 4});
  sketch.at(head).weights = Bytes{5};
  sketch.tensor(steps[0], 1, {steps[1]});
  sketch.tensor(steps[1], 1, {steps[2], head});
  sketch.tensor(steps[2], 1, {head});
  sketch.shared_weight("weight", 8, steps);
  return sketch;
}

void add_shared_weights(std::vector<Problem>& all) {
  {
    Sketch sketch = shared_weight_sketch("shared-weight");  // the head fits beside no copy on d1
    sketch.set_memory(1, 12);
    all.push_back(sketch.build());
  }
  {
    Sketch sketch = shared_weight_sketch("shared-weight-calls", 1);
    sketch.model = MaxLoad{.route = Route::kHost};
    sketch.transfers = TransferTimes::per_tensor(
        IdVector<TensorId, Duration>(std::vector(sketch.tensor_count(), Duration{1})));
    sketch.set_memory(1, 12);
    all.push_back(sketch.build());
  }
  {
    Sketch sketch("untied-training", 2);  // two users of one weight, their gradients summed
    const NodeId a = sketch.node("a", {2, 2}), b = sketch.node("b", {4, 4});
    const NodeId b_part = sketch.node("b/weight-grad", {4, 4}),
                 a_part = sketch.node("a/weight-grad", {2, 2});
    const NodeId weight = sketch.shared_weight("weight", 8, {a, b});
    const NodeId update = sketch.node("weight/update", {1, 1});
    for (const NodeId node : {b_part, a_part, update}) sketch.at(node).pass = Pass::kBackward;
    for (const NodeId node : {a, a_part}) sketch.at(node).group = 0;
    for (const NodeId node : {b, b_part}) sketch.at(node).group = 1;
    for (const NodeId node : {weight, update}) sketch.at(node).group = 2;
    sketch.at(update).weights = Bytes{16};
    sketch.tensor(a, 4, {b, b_part});
    sketch.tensor(b, 4, {b_part, a_part});
    sketch.tensor(b_part, 8, {a_part}, TensorRole::kGradientSum);
    sketch.tensor(a_part, 8, {update}, TensorRole::kGradientSum);
    sketch.set_memory(0, 44);
    all.push_back(sketch.build());
  }
}

void add_constraints(std::vector<Problem>& all) {
  {
    Sketch sketch = chain_sketch("pinned");
    sketch.constraints.pin = {{NodeId{1}, DeviceId{0}}, {NodeId{3}, DeviceId{1}}};
    all.push_back(sketch.build());
  }
  {
    Sketch sketch = chain_sketch("forbidden");
    sketch.constraints.forbid = {{NodeId{2}, DeviceId{1}}, {NodeId{0}, DeviceId{0}}};
    all.push_back(sketch.build());
  }
  {
    Sketch sketch = chain_sketch("together");
    sketch.constraints.together = {{NodeId{0}, NodeId{2}}};
    all.push_back(sketch.build());
  }
  {
    Sketch sketch = fork_join_sketch("apart");
    sketch.constraints.apart = {{NodeId{0}, NodeId{4}}, {NodeId{1}, NodeId{2}, NodeId{3}}};
    all.push_back(sketch.build());
  }
  {
    Sketch sketch("unsupported-op", 2);
    const NodeId a = sketch.node("a", {2, 4}), b = sketch.node("b", {kNever, 3});
    const NodeId c = sketch.node("c", {1, kNever});
    sketch.tensor(a, 2, {b});
    sketch.tensor(b, 3, {c});
    all.push_back(sketch.build());
  }
  all.push_back(training_sketch("colocation-across-passes", 2).build());
}

void add_links(std::vector<Problem>& all) {
  {
    Sketch sketch = chain_sketch("asymmetric-links");
    sketch.set_link(0, 1, 1, 0.5);
    sketch.set_link(1, 0, 3, 4);
    all.push_back(sketch.build());
  }
  {
    Sketch sketch = fork_join_sketch("shared-bus");
    sketch.cluster.set_shared_bus("bus");
    all.push_back(sketch.build());
  }
  {
    Sketch sketch = fork_join_sketch("uncontended");
    sketch.cluster.set_uncontended();
    all.push_back(sketch.build());
  }
  {
    Sketch sketch = fork_join_sketch("transfer-per-tensor");
    sketch.transfers = TransferTimes::per_tensor(
        IdVector<TensorId, Duration>{Duration{3}, Duration{1}, Duration{0}, Duration{2}});
    all.push_back(sketch.build());
  }
  {
    Sketch sketch = chain_sketch("transfer-per-tensor-and-pair");
    sketch.transfers = TransferTimes::per_tensor_and_pair(2, {0, 1, 2, 0, 0, 3, 4, 0, 0, 5, 1, 0});
    all.push_back(sketch.build());
  }
}

void add_executions(std::vector<Problem>& all) {
  const auto add = [&](Sketch sketch, ExecutionModel model) {
    sketch.model = model;
    all.push_back(sketch.build());
  };
  const MaxLoad call_load{.route = Route::kHost};
  MaxLoad pipeline;
  add(chain_sketch("sequential"), Sequential{});
  add(branches_sketch("sequential-overhead"), Sequential{.subgraph_overhead = Duration{3}});
  add(fork_join_sketch("sequential-three-devices"), Sequential{});
  add(fork_join_sketch("call-latency", 3, 1), CallLatency{});
  add(fork_join_sketch("call-latency-two-pieces", 3, 1), CallLatency{.pieces = 2});
  add(fork_join_sketch("call-throughput", 3, 1), call_load);
  add(training_sketch("call-training", 3, 1), call_load);
  MaxLoad call_gpipe = call_load;
  call_gpipe.training = TrainingSchedule::kGPipe;
  add(training_sketch("call-training-gpipe", 3, 1), call_gpipe);
  add(fork_join_sketch("pipeline"), pipeline);
  pipeline.overlap = Overlap::kMax;
  add(fork_join_sketch("pipeline-overlap-max"), pipeline);
  pipeline.overlap = Overlap::kDuplex;
  add(fork_join_sketch("pipeline-overlap-duplex"), pipeline);
  add(training_sketch("pipeline-training", 2), pipeline);
  pipeline.training = TrainingSchedule::kGPipe;
  add(training_sketch("pipeline-gpipe", 2), pipeline);
  MaxLoad contiguous = call_load;
  contiguous.contiguous = true;
  add(chain_sketch("call-contiguous", 1), contiguous);
  for (const Objective objective : {Objective::kLatency, Objective::kThroughput}) {
    Sketch pieces =
        branches_sketch(objective == Objective::kLatency ? "pieces-latency" : "pieces-throughput");
    for (const DeviceId id : pieces.cluster.devices()) {
      Device device = pieces.cluster.device(id);
      device.piece_overhead = Duration{2};
      device.border_bytes_per_second = 2e6;
      pieces.cluster.set_device(id, device);
    }
    for (std::size_t i = 0; i < pieces.node_count(); ++i)
      pieces.at(static_cast<NodeId>(i)).op_type = "Convolution";
    for (std::size_t t = 0; t < pieces.tensor_count(); ++t)
      pieces.make_image(static_cast<TensorId>(t));
    add(pieces, InPieces{.objective = objective});
  }
}

}  // namespace

const std::vector<Problem>& small_problems() {
  static const std::vector<Problem> all = [] {
    std::vector<Problem> problems;
    add_shapes(problems);
    add_memory(problems);
    add_shared_weights(problems);
    add_constraints(problems);
    add_links(problems);
    add_executions(problems);
    return problems;
  }();
  return all;
}

const Problem& small_problem(const std::string& name) {
  for (const Problem& problem : small_problems())
    if (problem.name() == name) return problem;
  throw std::out_of_range("no small problem is called " + name);
}

}  // namespace berth::fixtures
