#include "berth/modules/build_config.h"

#if BERTH_HAS_OPENVINO

#include <cmath>
#include <map>
#include <set>

#include <doctest/doctest.h>
#include <openvino/openvino.hpp>

#include "berth/base/error.h"
#include "berth/base/random.h"
#include "berth/cost/clusters.h"
#include "berth/graph/backward.h"
#include "berth/place/run_placer.h"
#include "berth/runtime/model_problem.h"
#include "berth/runtime/openvino/model.h"
#include "berth/sim/evaluate.h"
#include "berth/zoo/zoo.h"

using namespace berth;

namespace {

std::unique_ptr<Model> opened(const std::string& spec) {
  BuiltNetwork network = build_network({.spec = spec, .batch = {}, .shapes = {}, .values = false});
  return std::make_unique<OpenvinoModel>(network.name, network.model);
}

double total_flops(const Graph& graph) {
  double sum = 0;
  for (const NodeId node : graph.nodes()) sum += graph.node(node).flops;
  return sum;
}

std::int64_t total_weights(const Graph& graph) {
  std::int64_t sum = 0;
  for (const NodeId node : graph.nodes()) sum += graph.node(node).weights.count;
  return sum;
}

void fill(ov::Tensor tensor, Rng& rng) {
  for (std::size_t i = 0; i < tensor.get_size(); ++i) {
    if (tensor.get_element_type() == ov::element::i64)
      tensor.data<std::int64_t>()[i] = static_cast<std::int64_t>(rng.below(2));
    else
      tensor.data<float>()[i] = static_cast<float>(rng.normal());
  }
}

std::vector<float> run_on_cpu(const std::string& spec) {
  const BuiltNetwork network = build_network({.spec = spec, .batch = {}, .shapes = {}});
  ov::Core core;
  // Left to itself the plugin may pick a precision that the machine does not have.
  ov::InferRequest request =
      core.compile_model(network.model, "CPU", ov::hint::inference_precision(ov::element::f32))
          .create_infer_request();
  Rng rng(3);
  for (std::size_t i = 0; i < network.model->inputs().size(); ++i)
    fill(request.get_input_tensor(i), rng);
  request.infer();
  const ov::Tensor output = request.get_output_tensor(0);
  return {output.data<const float>(), output.data<const float>() + output.get_size()};
}

// Finite, not all the same, and of a size that an f16 could hold.
void check_lively(const std::vector<float>& values) {
  double sum = 0, squares = 0;
  for (const float value : values) {
    REQUIRE(std::isfinite(value));
    sum += value;
    squares += static_cast<double>(value) * value;
  }
  const double count = static_cast<double>(values.size());
  const double mean = sum / count, variance = squares / count - mean * mean;
  CHECK(variance > 1e-3 * mean * mean);
  CHECK(variance > 0);
  CHECK(std::sqrt(variance) < 1e4);
}

struct Count {
  const char* spec;
  std::size_t nodes, edges;
};

}  // namespace

TEST_CASE("the compressed view has the published number of nodes and edges") {
  for (const Count& count : {Count{"zoo:resnet-50", 396, 411}, Count{"zoo:inception-v3", 728, 764},
                             Count{"zoo:bert-base", 1009, 1071}}) {
    CAPTURE(count.spec);
    const Graph raw = opened(count.spec)->raw_graph();
    CHECK(raw.node_count() == count.nodes);
    CHECK(raw.edge_count() == count.edges);
  }
}

TEST_CASE("parameters and operations are those of the architectures") {
  // ResNet-50 has 25 557 032 parameters in torchvision, of which 53 120 are the four statistics of
  // BatchNorm's 26 560 channels; folded, one bias per channel is left.
  const std::unique_ptr<Model> resnet = opened("zoo:resnet-50");
  CHECK(total_weights(resnet->graph()) == 2 * (25557032 - 53120 + 26560));
  // 4.09 G multiply-adds.
  CHECK(total_flops(resnet->graph()) == doctest::Approx(2 * 4.09e9).epsilon(0.01));
  // BERT-base has 109 482 240 parameters.
  const std::unique_ptr<Model> bert = opened("zoo:bert-base");
  CHECK(total_weights(bert->graph()) == 2 * 109482240);
  // Per layer and token 7.08 M multiply-adds in dense layers, and 2 * 128 * 768 in attention.
  CHECK(total_flops(bert->graph()) ==
        doctest::Approx(2.0 * 12 * 128 * (7077888 + 2 * 128 * 768)).epsilon(0.01));
}

TEST_CASE("every network runs and gives finite outputs that differ") {
  for (const char* spec :
       {"zoo:resnet-50(size=64,classes=10)", "zoo:inception-v3(size=75,classes=10)",
        "zoo:bert-base(layers=2,length=16,width=64,heads=4,vocabulary=100)",
        "zoo:rnnlm(steps=5,hidden=32,vocabulary=50)",
        "zoo:gnmt(layers=3,steps=4,hidden=32,vocabulary=50)",
        "zoo:transformer-xl(layers=2,segments=3,length=8,width=32,heads=4,vocabulary=50)",
        "zoo:amoebanet(size=64,cells=3,filters=32,classes=10)",
        "zoo:wavenet(layers=4,length=64,channels=16,levels=32)",
        "zoo:nmt(steps=4,hidden=32,vocabulary=50)"}) {
    CAPTURE(spec);
    check_lively(run_on_cpu(spec));
  }
}

TEST_CASE("every network of the list can be opened, also for a batch") {
  std::set<std::string> names;
  for (const ZooNetwork& network : zoo_networks()) {
    CAPTURE(network.name);
    CHECK(names.insert(network.name).second);
    const std::unique_ptr<Model> one = opened("zoo:" + network.name);
    CHECK(one->name() == network.name);
    const std::unique_ptr<Model> four = opened("zoo:" + network.name + "(batch=4)");
    CHECK(four->name() == network.name + "(batch=4)");
    CHECK(four->graph().node_count() == one->graph().node_count());
    CHECK(total_flops(four->graph()) > 3 * total_flops(one->graph()));
    // Only the zeros that recurrent states begin with are there per sample.
    CHECK(static_cast<double>(total_weights(four->graph())) ==
          doctest::Approx(static_cast<double>(total_weights(one->graph()))).epsilon(0.002));
  }
}

TEST_CASE("one seed gives one network") {
  const std::string spec = "zoo:rnnlm(steps=2,hidden=8,vocabulary=10)";
  CHECK(run_on_cpu(spec) == run_on_cpu(spec));
}

TEST_CASE("training of eight GNMT layers passes fifty thousand nodes") {
  const std::unique_ptr<Model> gnmt = opened("zoo:gnmt(layers=8)");
  const Graph training = with_backward_pass(gnmt->graph());
  CHECK(training.node_count() > 50'000);
  std::size_t backward = 0;
  for (const NodeId node : training.nodes())
    backward += training.node(node).pass == Pass::kBackward ? 1 : 0;
  CHECK(backward > gnmt->graph().node_count());
}

namespace {

struct Sums {
  double time = 0, only_untied = 0;  // microseconds on one device
};

// Of a tied problem and its untied form: what every node that both have takes, which must be the
// same, and what the further parts of shared biases take, which the tied backward pass leaves out.
Sums compare_nodes(const Problem& tied, const Problem& untied) {
  std::map<std::string, double> left;
  Sums sums;
  for (const NodeId node : tied.graph().nodes()) {
    sums.time += left[tied.node_name(node)] = tied.time(node, DeviceId{0}).count();
  }
  for (const NodeId node : untied.graph().nodes()) {
    const std::string& name = untied.node_name(node);
    const double time = untied.time(node, DeviceId{0}).count();
    if (const auto same = left.find(name); same != left.end()) {
      REQUIRE(time == same->second);
      left.erase(same);
    } else if (name.ends_with("bias_add/weight-grad")) {
      sums.only_untied += time;
    } else if (time > 0) {
      REQUIRE(name.ends_with("/update"));
    }
  }
  for (const auto& [name, time] : left) REQUIRE(name.ends_with("/update"));
  return sums;
}

// Units of the tied problem keep their devices; a weight goes with its first user, its update, which
// has no tied counterpart of that name, with the weight.
Placement carried_over(const Problem& tied, const Placement& placement, const Problem& untied) {
  std::map<std::string, DeviceId> device;
  for (const NodeId node : tied.graph().nodes())
    device[tied.node_name(node)] = placement.device_of[node];
  UnitDevices units(untied.unit_count(), DeviceId{0});
  for (const NodeId node : untied.graph().nodes())
    if (const auto known = device.find(untied.node_name(node)); known != device.end())
      units[untied.unit_of(node)] = known->second;
  for (const NodeId node : untied.graph().nodes())
    for (const TensorId tensor : untied.graph().outputs(node))
      if (untied.graph().is_weight(tensor))
        units[untied.unit_of(node)] =
            units[untied.unit_of(untied.graph().consumers(tensor).front())];
  return from_units(untied, units);
}

}  // namespace

TEST_CASE("untied, the steps of RNNLM's layers are units of their own and do the same work") {
  const std::unique_ptr<Model> rnnlm = opened("zoo:rnnlm(batch=64,hidden=2048,steps=8)");
  const Cluster cluster = *built_in_cluster("k80x2");
  for (const bool training : {false, true}) {
    CAPTURE(training);
    const Problem tied = model_problem(*rnnlm, cluster, training, Optimizer::kAdam);
    const Problem untied =
        model_problem(*rnnlm, cluster, training, Optimizer::kAdam, SharedWeights::kUntied);
    // Two layers of eight steps, which were two units, and a weight and a bias each.
    CHECK(untied.unit_count() >= tied.unit_count() + 2 * (8 + 2) - 2);
    CHECK(total_weights(untied.graph()) == total_weights(tied.graph()));
    const Sums sums = compare_nodes(tied, untied);
    if (!training) CHECK(total_flops(untied.graph()) == total_flops(tied.graph()));
    // Seven steps of two layers have a part of the bias gradient that the tied form leaves out.
    const double bias = training ? 2 * 7 * 64.0 * 4 * 2048 : 0;
    CHECK(total_flops(untied.graph()) - bias == doctest::Approx(total_flops(tied.graph())));

    // On one device nothing is sent: the same time, but for those parts.
    Placement one_device;
    one_device.device_of.assign(tied.node_count(), DeviceId{0});
    const Placement alone = carried_over(tied, one_device, untied);
    CHECK(simulate(untied, alone).value.count() ==
          doctest::Approx(sums.time + sums.only_untied).epsilon(1e-9));
    CHECK(simulate(untied, alone).crossings == 0);

    // The best known tied placement sends no weight either.
    Budget budget({.seconds = std::nullopt, .evaluations = 500});
    const Result best = run_placer("anneal", tied, 1, budget);
    REQUIRE(best.placement);
    const Simulation carried = simulate(untied, carried_over(tied, *best.placement, untied));
    CHECK(carried.crossing_bytes == best.simulation->crossing_bytes);
    CHECK(carried.value.count() <=
          (best.simulation->value.count() + sums.only_untied) * (1 + 1e-9));
  }
}

TEST_CASE("a wrong name or parameter is a mistake that says what there is") {
  CHECK_THROWS_WITH_AS(opened("zoo:resnet50"),
                       "zoo:resnet50: no such network; did you mean resnet-50?", Error);
  CHECK_THROWS_AS(opened("zoo:nothing-like-it"), Error);
  CHECK_THROWS_AS(opened("zoo:gnmt(layers=1)"), Error);
  CHECK_THROWS_AS(opened("zoo:rnnlm(steps=0)"), Error);
  CHECK_THROWS_AS(opened("zoo:rnnlm(colour=3)"), Error);
  CHECK_THROWS_AS(
      build_network({.spec = "zoo:resnet-50", .batch = {}, .shapes = {{"image", {1, 3, 8, 8}}}}),
      Error);
}

#endif
