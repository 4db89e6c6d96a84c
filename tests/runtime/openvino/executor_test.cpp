#include "berth/modules/build_config.h"

#if BERTH_HAS_OPENVINO

#include <algorithm>
#include <cmath>

#include <doctest/doctest.h>

#include "berth/base/error.h"
#include "berth/base/random.h"
#include "berth/runtime/model_problem.h"
#include "berth/runtime/openvino/model.h"
#include "berth/runtime/openvino/openvino_runtime.h"
#include "berth/runtime/run_as.h"
#include "tests/support/branched_model.h"

using namespace berth;

namespace {

// Two devices on any machine: where there is one core, both share it.
std::vector<RealDevice> two_devices(Runtime& runtime) {
  std::vector<RealDevice> devices = runtime.devices();
  std::erase_if(devices, [](const RealDevice& d) { return d.kind != DeviceKind::kCpu; });
  devices.resize(2, devices.front());
  devices[0].name = "CPU0";
  devices[1].name = "CPU1";
  return devices;
}

double largest_difference(const std::vector<Array>& a, const std::vector<Array>& b) {
  REQUIRE(a.size() == b.size());
  double largest = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    REQUIRE(a[i].name == b[i].name);
    REQUIRE(a[i].shape == b[i].shape);
    for (std::size_t j = 0; j < a[i].values.size(); ++j)
      largest = std::max(largest, std::abs(a[i].values[j] - b[i].values[j]));
  }
  return largest;
}

// Any assignment of nodes, co-location ignored: what cannot be fused must still compute the same.
Placement random_placement(Rng& rng, const Graph& graph) {
  Placement placement{IdVector<NodeId, DeviceId>(graph.node_count(), DeviceId{0}), {}};
  for (const NodeId node : graph.nodes())
    placement.device_of[node] = static_cast<DeviceId>(rng.below(2));
  return placement;
}

}  // namespace

TEST_CASE("random placements give the outputs of one device, by both ways of cutting") {
  OpenvinoRuntime runtime;
  const std::vector<RealDevice> devices = two_devices(runtime);
  const OpenvinoModel model("branched", branched_model());
  const auto single = runtime.prepare_single(model, devices[0], 1);
  single->run_once();
  const std::vector<Array> expected = single->outputs();
  REQUIRE(expected.size() == 2);
  CHECK(expected[0].shape == std::vector<std::int64_t>{1, 8});

  Rng rng(5);
  for (int round = 0; round < 8; ++round) {
    const Placement placement = random_placement(rng, model.graph());
    for (const ExecutorKind kind : {ExecutorKind::kConcurrent, ExecutorKind::kPipeline}) {
      const auto executor = runtime.prepare(model, devices, placement, kind);
      executor->run_once();
      CHECK(largest_difference(executor->outputs(), expected) < 1e-5);
      executor->run_many(7, 3);
      CHECK(largest_difference(executor->outputs(), expected) < 1e-5);
    }
  }
}

// Operators in any order above one another, with three constants that all of them share.
std::shared_ptr<ov::Model> tangled_model(Rng& rng, std::size_t size) {
  using namespace ov::op;
  const ov::Shape shape{1, 8};
  const auto x = std::make_shared<v0::Parameter>(ov::element::f32, shape);
  std::vector<std::shared_ptr<ov::Node>> constants, nodes{std::make_shared<v0::Relu>(x)};
  for (const float value : {0.1F, 0.2F, 0.3F})
    constants.push_back(v0::Constant::create(ov::element::f32, shape, std::vector(8, value)));
  while (nodes.size() < size) {
    const auto a = nodes[rng.below(nodes.size())], b = nodes[rng.below(nodes.size())];
    switch (rng.below(3)) {
      case 0:
        nodes.push_back(std::make_shared<v1::Add>(a, constants[rng.below(3)]));
        break;
      case 1:
        nodes.push_back(std::make_shared<v0::Tanh>(a));
        break;
      default:
        nodes.push_back(std::make_shared<v1::Add>(a, b));
    }
  }
  ov::OutputVector unused;
  for (const auto& node : nodes)
    if (node->output(0).get_target_inputs().empty()) unused.push_back(node);
  return std::make_shared<ov::Model>(unused, ov::ParameterVector{x}, "tangled");
}

TEST_CASE("parts of two devices that wait for each other in circles, and share constants, run") {
  // What some versions of HETERO could not split (openvino issue 35750).
  OpenvinoRuntime runtime;
  const std::vector<RealDevice> devices = two_devices(runtime);
  Rng rng(8);
  for (int round = 0; round < 3; ++round) {
    const OpenvinoModel model("tangled", tangled_model(rng, 16));
    const auto single = runtime.prepare_single(model, devices[0], 1);
    single->run_once();
    for (int i = 0; i < 3; ++i) {
      const Placement placement = random_placement(rng, model.graph());
      const auto executor = runtime.prepare(model, devices, placement, ExecutorKind::kPipeline);
      CHECK(executor->pieces().size() > 2);
      executor->run_many(3, 2);
      CHECK(largest_difference(executor->outputs(), single->outputs()) < 1e-5);
    }
  }
}

TEST_CASE("every node runs in one piece, on the device that the placement names") {
  OpenvinoRuntime runtime;
  const std::vector<RealDevice> devices = two_devices(runtime);
  const OpenvinoModel model("branched", branched_model());
  Rng rng(6);
  const Placement placement = random_placement(rng, model.graph());
  const auto executor = runtime.prepare(model, devices, placement, ExecutorKind::kConcurrent);
  std::vector<int> seen(model.graph().node_count(), 0);
  for (const RunningPiece& piece : executor->pieces()) {
    CHECK(piece.executed_on == piece.planned_device);
    for (const NodeId node : piece.nodes) {
      ++seen[index(node)];
      CHECK(piece.executed_on == devices[index(placement.device_of[node])].name);
    }
  }
  CHECK(std::count(seen.begin(), seen.end(), 1) == std::ssize(seen));
}

TEST_CASE("a piece starts after the pieces that feed it") {
  OpenvinoRuntime runtime;
  const std::vector<RealDevice> devices = two_devices(runtime);
  const OpenvinoModel model("branched", branched_model());
  Rng rng(7);
  const Placement placement = random_placement(rng, model.graph());
  const auto executor = runtime.prepare(model, devices, placement, ExecutorKind::kConcurrent);
  const Duration total = executor->run_once();
  const std::vector<PieceSpan> spans = executor->piece_spans();
  REQUIRE(spans.size() == executor->pieces().size());
  IdVector<NodeId, std::size_t> piece_of(model.graph().node_count());
  for (std::size_t p = 0; p < spans.size(); ++p)
    for (const NodeId node : executor->pieces()[p].nodes) piece_of[node] = p;
  for (const NodeId node : model.graph().nodes())
    for (const NodeId next : model.graph().successors(node))
      if (piece_of[node] != piece_of[next])
        CHECK(spans[piece_of[node]].end <= spans[piece_of[next]].start);
  for (const PieceSpan& span : spans) CHECK(span.end <= total);
}

// Two chains a -> c and b -> d, which do not touch, d with ten times the operations of c.
std::shared_ptr<ov::Model> chains_of_operators() {
  using namespace ov::op;
  ov::OutputVector ends;
  ov::ParameterVector inputs;
  for (const auto& [first, second, size] : {std::tuple{"a", "c", 16}, std::tuple{"b", "d", 160}}) {
    inputs.push_back(std::make_shared<v0::Parameter>(
        ov::element::f32, ov::PartialShape(ov::Shape{static_cast<std::size_t>(size)})));
    const auto start = std::make_shared<v0::Tanh>(inputs.back());
    const auto end = std::make_shared<v0::Relu>(start);
    start->set_friendly_name(first);
    end->set_friendly_name(second);
    ends.push_back(end);
  }
  return std::make_shared<ov::Model>(ends, inputs, "chains");
}

TEST_CASE("the executor starts pieces in the order that was predicted, whatever it would guess") {
  OpenvinoRuntime runtime;
  const std::vector<RealDevice> devices = two_devices(runtime);
  const OpenvinoModel model("chains", chains_of_operators());
  IdVector<NodeId, DeviceId> device_of(model.graph().node_count(), DeviceId{0});
  for (const char* name : {"c", "d"}) device_of[*model.find(name)] = DeviceId{1};

  const auto first_to_start = [&](const Placement& placement) {
    const auto executor = runtime.prepare(model, devices, placement, ExecutorKind::kConcurrent);
    executor->run_once();
    const auto start = [&](const char* name) {
      for (std::size_t p = 0; p < executor->pieces().size(); ++p)
        if (executor->pieces()[p].nodes == std::vector{*model.find(name)})
          return executor->piece_spans()[p].start;
      return kForever;
    };
    return start("a") < start("b") ? "a" : "b";
  };
  const auto problem = [&](const char* slow) {
    NodeTimes times(model.graph().node_count(), 2);
    for (const NodeId node : model.graph().nodes())
      for (const DeviceId device : {DeviceId{0}, DeviceId{1}})
        times.set(node, device, Duration{node == *model.find(slow) ? 90.0 : 10.0});
    const Cluster cluster({{.name = "CPU0"}, {.name = "CPU1"}});
    return piece_problem(Problem("chains", model.graph(), cluster, {times, {}}), no_calibration(2));
  };
  const Placement placement{device_of, {}};
  CHECK(first_to_start(placement) == std::string("b"));  // the guess: more operations
  CHECK(first_to_start(with_predicted_order(problem("c"), placement)) == std::string("a"));
  CHECK(first_to_start(with_predicted_order(problem("d"), placement)) == std::string("b"));
}

TEST_CASE("what was compiled for one placement is not compiled again for another") {
  OpenvinoRuntime runtime;
  const std::vector<RealDevice> devices = two_devices(runtime);
  const OpenvinoModel model("branched", branched_model());
  Placement placement{IdVector<NodeId, DeviceId>(model.graph().node_count(), DeviceId{0}), {}};
  const auto from_cache = [](const Executor& executor) {
    return std::count_if(executor.pieces().begin(), executor.pieces().end(),
                         [](const RunningPiece& piece) { return piece.from_cache; });
  };
  // The classifier at the end goes to the other device: two pieces.
  placement.device_of[*model.find("scores")] = DeviceId{1};
  const auto first = runtime.prepare(model, devices, placement, ExecutorKind::kPipeline);
  REQUIRE(first->pieces().size() == 2);
  CHECK(from_cache(*first) == 0);
  const auto again = runtime.prepare(model, devices, placement, ExecutorKind::kPipeline);
  CHECK(from_cache(*again) == 2);
  CHECK(runtime.compiled_count() == 2);

  // The same classifier with another cut before it: one of three pieces is known.
  const NodeId stem = *model.find("stem");
  placement.device_of[stem] = DeviceId{1};
  for (const NodeId before : model.graph().predecessors(stem))
    placement.device_of[before] = DeviceId{1};
  const auto other = runtime.prepare(model, devices, placement, ExecutorKind::kPipeline);
  CHECK(other->pieces().size() == 3);
  CHECK(from_cache(*other) == 1);
  CHECK(runtime.compiled_count() == 4);

  // The same operators on another device are another piece.
  for (DeviceId& device : placement.device_of) device = static_cast<DeviceId>(1 - index(device));
  const auto mirrored = runtime.prepare(model, devices, placement, ExecutorKind::kPipeline);
  CHECK(from_cache(*mirrored) == 0);
}

TEST_CASE("devices that share a stage each run it on their own samples") {
  OpenvinoRuntime runtime;
  const std::vector<RealDevice> devices = two_devices(runtime);
  const OpenvinoModel model("branched", branched_model());
  const auto single = runtime.prepare_single(model, devices[0], 1);
  single->run_once();
  Placement placement{IdVector<NodeId, DeviceId>(model.graph().node_count(), DeviceId{0}), {}};
  placement.replicas = {{DeviceId{1}, DeviceId{0}}};

  const auto shared = runtime.prepare(model, devices, placement, ExecutorKind::kPipeline);
  REQUIRE(shared->pieces().size() == 2);
  for (std::size_t i = 0; i < 2; ++i) {
    CHECK(shared->pieces()[i].executed_on == devices[i].name);
    CHECK(shared->pieces()[i].nodes.size() == model.graph().node_count());
  }
  shared->run_once();
  CHECK(shared->outputs_by_slot().size() == 1);  // one request needs one device
  CHECK(shared->piece_spans()[0].end > Duration{0});
  CHECK(shared->piece_spans()[1] == PieceSpan{});
  shared->run_many(8, 4, 4);
  REQUIRE(shared->outputs_by_slot().size() == 4);
  for (const std::vector<Array>& outputs : shared->outputs_by_slot())
    CHECK(largest_difference(outputs, single->outputs()) < 1e-5);

  // One request at a time has no samples to divide.
  CHECK(runtime.prepare(model, devices, placement, ExecutorKind::kConcurrent)->pieces().size() ==
        1);
  placement.replicas = {{DeviceId{5}, DeviceId{0}}};
  CHECK_THROWS_WITH_AS(runtime.prepare(model, devices, placement, ExecutorKind::kPipeline),
                       "branched: a replica names device 5, but there are 2", Error);
}

TEST_CASE("HETERO and a device with two streams give the same outputs") {
  OpenvinoRuntime runtime;
  const std::vector<RealDevice> devices = two_devices(runtime);
  const OpenvinoModel model("branched", branched_model());
  const auto single = runtime.prepare_single(model, devices[0], 1);
  single->run_once();
  Placement placement{IdVector<NodeId, DeviceId>(model.graph().node_count(), DeviceId{0}), {}};
  placement.device_of[*model.find("scores")] = DeviceId{1};
  const auto hetero = runtime.prepare(model, devices, placement, ExecutorKind::kHetero);
  hetero->run_once();
  CHECK(largest_difference(hetero->outputs(), single->outputs()) < 1e-5);
  hetero->run_many(5, 2);
  CHECK(largest_difference(hetero->outputs(), single->outputs()) < 1e-5);

  const std::vector<RealDevice> whole = runtime.devices(1);
  REQUIRE(whole.front().name == "CPU");
  const auto streams = runtime.prepare_single(model, whole.front(), 2);
  streams->run_many(5, 2);
  CHECK(largest_difference(streams->outputs(), single->outputs()) < 1e-5);
  CHECK(streams->pieces().front().executed_on == "CPU");
}

TEST_CASE("a device that is not there is an error that names those that are") {
  OpenvinoRuntime runtime;
  const OpenvinoModel model("branched", branched_model());
  const RealDevice missing{.name = "GPU.7", .kind = DeviceKind::kGpu};
  try {
    runtime.prepare_single(model, missing, 1);
    FAIL("no error");
  } catch (const Error& error) {
    const std::string text = error.what();
    CHECK(text.starts_with("device GPU.7: OpenVINO has no such device here"));
    CHECK(text.find("there are CPU") != std::string::npos);
  }
}

TEST_CASE("a CPU supports what it runs") {
  OpenvinoRuntime runtime;
  const OpenvinoModel model("branched", branched_model());
  const std::vector<bool> supported = runtime.supported(model, two_devices(runtime)[0]);
  CHECK(std::count(supported.begin(), supported.end(), true) ==
        static_cast<std::ptrdiff_t>(model.graph().node_count()));
}

#endif
