#include "berth/runtime/placement_meter.h"

#include "berth/modules/build_config.h"

#if BERTH_HAS_OPENVINO

#include <doctest/doctest.h>

#include "berth/base/error.h"
#include "berth/cost/clusters.h"
#include "berth/runtime/model_problem.h"

using namespace berth;

namespace {

// A tiny network, its first half on the first device and the rest on the second.
struct Split {
  Runtime& runtime = openvino_runtime();
  std::vector<RealDevice> devices = runtime.devices(2);
  std::shared_ptr<const Model> model =
      runtime.open({.spec = "zoo:resnet-50(size=32,classes=10)", .batch = {}, .shapes = {}});
  Problem problem = model_problem(*model, built_in_cluster("cpu+gpu").value(), false);
  Placement placement = [this] {
    const Graph& graph = model->graph();
    Placement result;
    result.device_of = IdVector<NodeId, DeviceId>(graph.node_count(), DeviceId{0});
    std::size_t seen = 0;
    for (const NodeId node : graph.topological_order())
      if (2 * ++seen > graph.node_count()) result.device_of[node] = DeviceId{1};
    return result;
  }();
};

}  // namespace

TEST_CASE("a placement is timed as the problem executes it, as often as asked") {
  const Split split;
  for (const ExecutionModel& model :
       {ExecutionModel(Concurrent{}), ExecutionModel(Sequential{}),
        ExecutionModel(InPieces{.objective = Objective::kThroughput})}) {
    const Meter meter =
        placement_meter(split.runtime, split.model, split.devices, split.problem.with_model(model),
                        {.requests = 2, .executors = 1});
    CHECK(meter(split.placement) > Duration{0});
    Placement other = split.placement;
    for (DeviceId& device : other.device_of) device = DeviceId{0};
    CHECK(meter(other) > Duration{0});  // takes the place of the first
    CHECK(meter(split.placement) > Duration{0});
  }
}

TEST_CASE("a placement of another model is refused") {
  const Split split;
  const Meter meter = placement_meter(split.runtime, split.model, split.devices, split.problem);
  Placement wrong;
  wrong.device_of = IdVector<NodeId, DeviceId>(3, DeviceId{0});
  CHECK_THROWS_AS(meter(wrong), Error);
}

#endif
