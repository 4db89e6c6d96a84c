// Real exports, really run: every model of the shared data on two devices gives what one device
// gives.

#include "berth/modules/build_config.h"

#if BERTH_HAS_OPENVINO

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "berth/runtime/openvino/openvino_runtime.h"
#include "berth/runtime/race.h"
#include "berth/runtime/sample_placements.h"
#include "tests/support/shared_data.h"
#include "tests/support/unpacked_model.h"

using namespace berth;

namespace {

// A random placement that uses both devices.
Placement split(const Problem& problem, Rng& rng) {
  while (true) {
    Placement placement = sample_placement(problem, rng);
    const std::vector<DeviceId>& used = placement.device_of.items();
    if (std::find(used.begin(), used.end(), DeviceId{0}) != used.end() &&
        std::find(used.begin(), used.end(), DeviceId{1}) != used.end())
      return placement;
  }
}

void check_run(const ModelSource& source) {
  OpenvinoRuntime runtime;
  const std::vector<RealDevice> devices = runtime.devices(2);
  if (devices.size() < 2) {
    MESSAGE("skipped: this machine has one core");
    return;
  }
  const std::unique_ptr<Model> model = runtime.open(source);
  const Problem problem(model->name(), model->graph(),
                        Cluster({{.name = devices[0].name}, {.name = devices[1].name}}),
                        {NodeTimes(model->graph().node_count(), 2), {}});
  const auto one = runtime.prepare_single(*model, devices[0], 1);
  one->run_once();
  Rng rng(5);
  const Placement placement = split(problem, rng);
  const auto both =
      runtime.prepare(*model, {devices.data(), 2}, placement, ExecutorKind::kConcurrent);
  both->run_once();
  CHECK(both->pieces().size() >= 2);
  for (const RunningPiece& piece : both->pieces()) CHECK(piece.executed_on == piece.planned_device);
  CHECK(relative_error(both->outputs(), one->outputs()) <= 1e-4);
}

}  // namespace

TEST_CASE("every ONNX model runs on two devices and gives what one device gives") {
  for (const char* file :
       {"onnx-light/light_bvlc_alexnet.onnx", "onnx-light/light_inception_v1.onnx",
        "onnx-light/light_resnet50.onnx", "onnx-light/light_shufflenet.onnx",
        "onnx-light/light_squeezenet.onnx", "onnx-light/light_vgg19.onnx",
        "onnx-light/light_zfnet512.onnx", "NNLQP/resnet18-v1-7-no-weight.onnx"}) {
    CAPTURE(std::string(file));
    if (const auto path = shared_data(file)) check_run({.spec = path->string(), .batch = {}});
  }
}

TEST_CASE("every compressed export runs on two devices and gives what one device gives") {
  const std::vector<std::pair<std::string, std::vector<std::int64_t>>> words{{"ids", {1, 16}},
                                                                             {"mask", {1, 16}}};
  for (const std::string name : {"resnet50", "inception_v3", "bert_base"}) {
    CAPTURE(name);
    const auto xml = shared_data("ir/" + name + ".xml");
    if (!xml) continue;
    const Scratch scratch;
    ModelSource source{.spec = unpacked(*xml, scratch).string(), .batch = {}};
    if (name == "bert_base") source.shapes = words;
    check_run(source);
  }
}

#endif
