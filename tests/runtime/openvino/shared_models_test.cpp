// Real exports: every model of the shared data opens, and has the sizes of its architecture.

#include "berth/modules/build_config.h"

#if BERTH_HAS_OPENVINO

#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "berth/base/error.h"
#include "berth/cost/clusters.h"
#include "berth/place/run_placer.h"
#include "berth/runtime/model_problem.h"
#include "berth/runtime/openvino/openvino_runtime.h"
#include "tests/support/shared_data.h"
#include "tests/support/unpacked_model.h"

using namespace berth;

namespace {

namespace fs = std::filesystem;

struct Totals {
  double flops = 0;
  std::int64_t weights = 0;
};

Totals totals(const Graph& graph) {
  Totals sum;
  for (const NodeId node : graph.nodes()) {
    sum.flops += graph.node(node).flops;
    sum.weights += graph.node(node).weights.count;
  }
  return sum;
}

// As a problem it can be placed, inference and training alike.
void check_places(const Model& model) {
  for (const bool training : {false, true}) {
    const Problem problem = model_problem(model, *built_in_cluster("cpu+gpu"), training);
    CHECK(problem.is_training() == training);
    Budget budget;
    const Result result = run_placer("heft", problem, 1, budget);
    CHECK(result.placement.has_value());
  }
}

struct Expected {
  const char* file;
  double multiply_adds;  // as published, in millions; 0: unknown
  double parameters;     // in millions
};

}  // namespace

// AlexNet's images have 224 pixels here, not 227: 101.6 + 207.7 + 127.4 + 95.6 + 63.7 million in
// the convolutions, 58.6 in the dense layers.
TEST_CASE("the light ONNX models open, with the operations and parameters of their papers") {
  for (const Expected& one :
       {Expected{"light_bvlc_alexnet", 654.6, 60.97}, Expected{"light_inception_v1", 1430, 7.0},
        Expected{"light_resnet50", 4090, 25.6}, Expected{"light_shufflenet", 0, 1.4},
        Expected{"light_squeezenet", 350, 1.235}, Expected{"light_vgg19", 19632, 143.67},
        Expected{"light_zfnet512", 0, 87.0}}) {
    CAPTURE(std::string(one.file));
    const auto path = shared_data(std::string("onnx-light/") + one.file + ".onnx");
    if (!path) continue;
    OpenvinoRuntime runtime;
    const std::unique_ptr<Model> model = runtime.open({.spec = path->string(), .batch = {}});
    const Totals sum = totals(model->graph());
    if (one.multiply_adds > 0)
      CHECK(sum.flops / 2e6 == doctest::Approx(one.multiply_adds).epsilon(0.03));
    CHECK(static_cast<double>(sum.weights) / 4e6 == doctest::Approx(one.parameters).epsilon(0.03));
    CHECK(model->raw_graph().node_count() > model->graph().node_count());
    check_places(*model);

    // Some of them have their batch in the target of a Reshape.
    const std::unique_ptr<Model> four = runtime.open({.spec = path->string(), .batch = 4});
    CHECK(totals(four->graph()).flops == doctest::Approx(4 * sum.flops));
    CHECK(totals(four->graph()).weights == sum.weights);
  }
}

TEST_CASE("a model without weight values opens") {
  const auto path = shared_data("NNLQP/resnet18-v1-7-no-weight.onnx");
  if (!path) return;
  OpenvinoRuntime runtime;
  const std::unique_ptr<Model> model = runtime.open({.spec = path->string(), .batch = {}});
  CHECK(totals(model->graph()).flops / 2e6 == doctest::Approx(1820).epsilon(0.03));
  CHECK(static_cast<double>(totals(model->graph()).weights) / 4e6 ==
        doctest::Approx(11.69).epsilon(0.01));
  check_places(*model);
}

TEST_CASE("compressed exports have the published counts, and weigh what their files weigh") {
  struct Export {
    const char* name;
    std::size_t nodes, edges;
    std::vector<std::pair<std::string, std::vector<std::int64_t>>> shapes;
    double gflop;
  };
  for (const Export& one :
       {Export{"resnet50", 396, 411, {}, 8.2}, Export{"inception_v3", 726, 762, {}, 11.47},
        Export{"bert_base", 632, 719, {{"ids", {1, 128}}, {"mask", {1, 128}}}, 22.4}}) {
    CAPTURE(std::string(one.name));
    const auto xml = shared_data(std::string("ir/") + one.name + ".xml");
    if (!xml) continue;
    const Scratch scratch;
    const fs::path file = unpacked(*xml, scratch);
    OpenvinoRuntime runtime;
    ModelSource source{.spec = file.string(), .batch = {}, .shapes = one.shapes};
    const std::unique_ptr<Model> model = runtime.open(source);
    const Graph raw = model->raw_graph();
    // Shape inference at known shapes may drop a few ops of the dynamic one.
    if (one.shapes.empty()) {
      CHECK(raw.node_count() == one.nodes);
      CHECK(raw.edge_count() == one.edges);
    } else {
      CHECK(static_cast<double>(raw.node_count()) ==
            doctest::Approx(static_cast<double>(one.nodes)).epsilon(0.02));
    }
    const Totals sum = totals(model->graph());
    const auto bytes = static_cast<double>(fs::file_size(fs::path(file).replace_extension(".bin")));
    CHECK(static_cast<double>(sum.weights) == doctest::Approx(bytes).epsilon(0.01));
    CHECK(sum.flops == doctest::Approx(one.gflop * 1e9).epsilon(0.01));
    check_places(*model);
  }
}

TEST_CASE("open shapes are a mistake that names the inputs, a batch fills the first dimension") {
  const auto xml = shared_data("ir/bert_base.xml");
  if (!xml) return;
  const Scratch scratch;
  const std::string file = unpacked(*xml, scratch).string();
  OpenvinoRuntime runtime;
  CHECK_THROWS_WITH_AS(
      runtime.open({.spec = file, .batch = {}}),
      (file + ": the shapes of its inputs are open: ids [?,?], mask [?,?]; expected "
              "numbers for all ?, as in --shape ids=?,? --shape mask=?,?")
          .c_str(),
      Error);
  CHECK_THROWS_AS(runtime.open({.spec = file, .batch = 2}), Error);
  const std::unique_ptr<Model> one =
      runtime.open({.spec = file, .batch = {}, .shapes = {{"ids", {1, 16}}, {"mask", {1, 16}}}});
  const std::unique_ptr<Model> two =
      runtime.open({.spec = file, .batch = {}, .shapes = {{"ids", {2, 16}}, {"mask", {2, 16}}}});
  CHECK(totals(two->graph()).flops > 1.9 * totals(one->graph()).flops);
}

TEST_CASE("packed weights are a mistake that says how to unpack them") {
  const auto xml = shared_data("ir/resnet50.xml");
  if (!xml) return;
  OpenvinoRuntime runtime;
  CHECK_THROWS_AS(runtime.open({.spec = xml->string(), .batch = {}}), Error);
}

#endif
