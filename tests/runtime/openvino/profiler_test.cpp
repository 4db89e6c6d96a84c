#include "berth/modules/build_config.h"

#if BERTH_HAS_OPENVINO

#include <algorithm>
#include <numeric>

#include <doctest/doctest.h>

#include "berth/runtime/local_cluster.h"
#include "berth/runtime/openvino/kernels.h"
#include "berth/runtime/openvino/openvino_runtime.h"
#include "berth/runtime/profile.h"
#include "tests/support/branched_model.h"

using namespace berth;

TEST_CASE("kernels are measured once, and known the second time") {
  OpenvinoRuntime runtime;
  const std::vector<RealDevice> devices = runtime.devices(std::nullopt);
  const OpenvinoModel model("branched", branched_model());
  RecordFile cache({});
  const OpTimes first = runtime.measure_ops(model, devices, cache);
  CHECK(first.measured > 0);
  CHECK(first.reused == 0);
  CHECK(cache.size() == static_cast<std::size_t>(first.measured));
  const OpTimes second = runtime.measure_ops(model, devices, cache);
  CHECK(second.measured == 0);
  CHECK(second.reused == first.measured);
  CHECK(second.micros == first.micros);
  CHECK(second.fused == first.fused);

  // The four convolutions do the work; each has a time on every device.
  REQUIRE(first.micros.size() == model.graph().node_count() * devices.size());
  std::size_t convolutions = 0;
  for (const NodeId node : model.graph().nodes())
    if (model.graph().node(node).op_type == "Convolution") {
      ++convolutions;
      for (std::size_t d = 0; d < devices.size(); ++d)
        CHECK(first.micros[index(node) * devices.size() + d] > 0);
    }
  CHECK(convolutions == 4);
  // The stem's Relu runs inside its convolution.
  const NodeId stem = *model.find("stem");
  CHECK(std::any_of(first.fused.begin(), first.fused.end(), [&](const auto& set) {
    return std::find(set.begin(), set.end(), stem) != set.end();
  }));
}

TEST_CASE("a record that cannot be read is measured again") {
  OpenvinoRuntime runtime;
  const std::vector<RealDevice> devices{runtime.devices(std::nullopt).front()};
  const OpenvinoModel model("branched", branched_model());
  RecordFile whole({});
  const int kernels = runtime.measure_ops(model, devices, whole).measured;
  RecordFile half({});
  const std::string prefix =
      "kernel|" + runtime.version() + "|" + runtime.device_class(devices[0]) + "|";
  for (const NodeId node : model.graph().nodes())
    half.add(prefix + op_signature(*model.op(node)) + "+", "not a number");
  const OpTimes times = runtime.measure_ops(model, devices, half);
  CHECK(times.measured == kernels);
  CHECK(times.reused == 0);
}

TEST_CASE("operators that do the same work have one signature, others do not") {
  const OpenvinoModel model("branched", branched_model());
  std::vector<std::string> signatures;
  for (const NodeId node : model.graph().nodes())
    if (model.graph().node(node).op_type == "Convolution")
      signatures.push_back(op_signature(*model.op(node)));
  REQUIRE(signatures.size() == 4);
  std::sort(signatures.begin(), signatures.end());
  // Three with equal shapes and other weights, one with twice the channels.
  CHECK(std::unique(signatures.begin(), signatures.end()) - signatures.begin() == 2);
}

TEST_CASE(
    "what runs as one kernel shares a unit of the profiled problem, and calibration repeats it") {
  OpenvinoRuntime runtime;
  std::vector<RealDevice> devices = runtime.devices(std::nullopt);
  std::erase_if(devices, [](const RealDevice& d) { return d.kind != DeviceKind::kCpu; });
  devices.resize(2, devices.front());
  devices[0].name = "CPU0";
  devices[1].name = "CPU1";
  const OpenvinoModel model("branched", branched_model());
  RecordFile cache({});
  const Cluster cluster(
      {{.name = "CPU0", .kind = DeviceKind::kCpu}, {.name = "CPU1", .kind = DeviceKind::kCpu}});
  const OpTimes times = runtime.measure_ops(model, devices, cache);
  const Problem profiled = profiled_problem(model, cluster, times);
  for (const std::vector<NodeId>& set : times.fused)
    for (const NodeId node : set) CHECK(profiled.unit_of(node) == profiled.unit_of(set.front()));

  CHECK(!remembered_calibration(runtime, model, devices, cache));
  const CalibrationRun run =
      calibrate_on(runtime, model, devices, profiled, {.fit = 3, .check = 2, .runs = 2});
  CHECK(run.fitted.size() == 3);
  CHECK(run.held_out.size() == 2);
  for (const Measured& each : run.held_out) CHECK(each.predicted > Duration{0});
  remember_calibration(runtime, model, devices, run.calibration, cache);
  CHECK(remembered_calibration(runtime, model, devices, cache) == run.calibration);
}

TEST_CASE("this machine is a cluster whose speeds are measured once") {
  OpenvinoRuntime runtime;
  const std::vector<RealDevice> devices = runtime.devices(std::nullopt);
  RecordFile cache({});
  const Cluster first = local_cluster(runtime, devices, cache);
  REQUIRE(first.device_count() == devices.size());
  for (const DeviceId device : first.devices()) {
    CHECK(first.device(device).flops_per_second > 0);
    CHECK(first.device(device).bytes_per_second > 0);
  }
  CHECK(local_cluster(runtime, devices, cache) == first);  // from the records
}

TEST_CASE("names of local clusters") {
  CHECK(!parse_local("locals"));
  CHECK(parse_local("local")->groups == std::nullopt);
  CHECK(parse_local("local:3")->groups == 3);
}

#endif
