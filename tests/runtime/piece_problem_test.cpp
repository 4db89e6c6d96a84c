#include "berth/runtime/piece_problem.h"

#include <limits>

#include <doctest/doctest.h>

#include "berth/sim/evaluate.h"
#include "tests/support/fixtures.h"
#include "tests/support/sketch.h"

using namespace berth;

namespace {

// a -> {b, c} -> d, 100 us each on either device; b runs on the second one.
Problem diamond(const std::string& type) {
  GraphBuilder builder;
  const Tensor image{.size = Bytes{1000}, .shape = {1, 2, 5, 5}, .element_type = "f32"};
  for (const char* name : {"a", "b", "c", "d"}) builder.add_node({.name = name, .op_type = type});
  const auto join = [&](int from, std::initializer_list<int> to) {
    const TensorId tensor = builder.add_tensor(static_cast<NodeId>(from), image);
    for (const int node : to) builder.add_use(tensor, static_cast<NodeId>(node));
  };
  join(0, {1, 2});
  join(1, {3});
  join(2, {3});
  join(3, {});
  Cluster cluster({{.name = "CPU0", .kind = DeviceKind::kCpu}, {.name = "CPU1", .kind = DeviceKind::kCpu}});
  return Problem("diamond", std::move(builder).build(), std::move(cluster),
                 {NodeTimes(4, 2, Duration{100}), {}});
}

Calibration example() {
  return {.devices = {{2, Duration{10}, 0.01}, {3, Duration{20}, 0.02}}, .hand_over = Duration{7}};
}

}  // namespace

TEST_CASE("the prediction adds up pieces, borders and hand-overs by hand") {
  const Placement placement = placed({0, 1, 0, 0});
  // Pieces a | b | c | d, where d waits for b. Images of 1000 bytes at the border of convolutions:
  //   a: 2*100 + 10 + 0.01*1000         = 220   one tensor out
  //   b: 3*100 + 20 + 0.02*2000         = 360   one in, one out
  //   c: 2*100 + 10 + 0.01*2000         = 230
  //   d: 2*100 + 10 + 0.01*2000         = 230   two in
  // b starts at 220 + 7, ends at 587; c runs meanwhile; d starts at 587 + 7, ends at 824.
  CHECK(predict(diamond("Convolution"), placement, example(), Objective::kLatency).count() ==
        doctest::Approx(824));
  // Without convolutions nothing is converted: 210 + 7 + 320 + 7 + 210.
  CHECK(predict(diamond("MatMul"), placement, example(), Objective::kLatency).count() ==
        doctest::Approx(754));
  // A convolution by another name; a Convert is none.
  CHECK(predict(diamond("GroupConvolution"), placement, example(), Objective::kLatency).count() ==
        doctest::Approx(824));
  CHECK(predict(diamond("Convert"), placement, example(), Objective::kLatency).count() ==
        doctest::Approx(754));
}

TEST_CASE("the period of a pipeline is the busiest device's pieces") {
  // Subgraphs: a and c, which nothing separates, then b, then d. On the first device
  // (2*200 + 10) + (2*100 + 10) = 620, on the second 320.
  CHECK(predict(diamond("MatMul"), placed({0, 1, 0, 0}), example(), Objective::kThroughput)
            .count() == doctest::Approx(620));
  Calibration stretched = example();
  stretched.stretch = 1.5;
  CHECK(predict(diamond("MatMul"), placed({0, 1, 0, 0}), stretched, Objective::kThroughput)
            .count() == doctest::Approx(930));
}

TEST_CASE("without overhead the pieces of any placement take what its nodes take") {
  Rng rng(8);
  for (int round = 0; round < 200; ++round) {
    const Problem drawn = fixtures::random_problem(
        rng, {.max_nodes = 12, .execution = Execution::kPipeline, .training = false,
              .memory_limits = false, .constraints = false});
    Cluster cluster = drawn.cluster();
    for (const DeviceId from : cluster.devices())
      for (const DeviceId to : cluster.devices())
        if (from != to)
          cluster.set_link_speed(from, to, Duration{0}, std::numeric_limits<double>::infinity());
    cluster.set_uncontended();
    // Times per sample are those of a run times the frequency; pieces add the former.
    NodeTimes times(drawn.node_count(), drawn.device_count());
    for (const NodeId node : drawn.graph().nodes())
      for (const DeviceId device : drawn.devices()) times.set(node, device, drawn.time(node, device));
    GraphBuilder once;
    for (const NodeId node : drawn.graph().nodes()) {
      Node copy = drawn.graph().node(node);
      copy.frequency = 1;
      once.add_node(copy);
    }
    for (const TensorId tensor : drawn.graph().tensors()) {
      const TensorId copy =
          once.add_tensor(drawn.graph().producer(tensor), drawn.graph().tensor(tensor));
      for (const NodeId user : drawn.graph().consumers(tensor)) once.add_use(copy, user);
    }
    const Problem problem("free", std::move(once).build(), cluster, {times, {}});
    const Placement placement = fixtures::random_placement(rng, drawn);
    const Calibration none{.devices = std::vector<DeviceFit>(problem.device_count())};
    const Problem pipeline = problem.with_model({.execution = Execution::kPipeline,
                                                 .objective = Objective::kThroughput,
                                                 .overlap = Overlap::kMax});
    CHECK(predict(problem, placement, none, Objective::kThroughput).count() ==
          doctest::Approx(simulate(pipeline, placement).value.count()));
  }
}

TEST_CASE("a calibrated problem scales times and prices crossings") {
  const Problem problem = calibrated(diamond("Convolution"), example());
  CHECK(problem.time(NodeId{0}, DeviceId{0}) == Duration{200});
  CHECK(problem.time(NodeId{0}, DeviceId{1}) == Duration{300});
  // 7 + (10 + 20) + 1000 * (0.01 + 0.02)
  CHECK(problem.transfer(TensorId{0}, DeviceId{0}, DeviceId{1}).count() == doctest::Approx(67));
  Calibration dear = example();
  dear.crossing = 2;
  dear.stretch = 1.5;
  const Problem other = calibrated(diamond("Convolution"), dear);
  CHECK(other.time(NodeId{0}, DeviceId{0}) == Duration{300});
  CHECK(other.transfer(TensorId{0}, DeviceId{0}, DeviceId{1}).count() == doctest::Approx(127));
}
