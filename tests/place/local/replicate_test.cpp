#include "berth/place/local/replicate.h"

#include <doctest/doctest.h>

#include "berth/place/run_placer.h"
#include "tests/support/sketch.h"

using namespace berth;

namespace {

// A chain of four nodes, 10 us on fast devices and 30 on slow ones, 6 bytes of weights each.
Sketch chain(std::vector<double> times) {
  Sketch sketch("chain", times.size());
  NodeId last = sketch.node("n0", times);
  sketch.at(last).weights = Bytes{6};
  for (int i = 1; i < 4; ++i) {
    const NodeId node = sketch.node("n" + std::to_string(i), times);
    sketch.at(node).weights = Bytes{6};
    sketch.tensor(last, 0, {node});
    last = node;
  }
  for (const DeviceId id : sketch.cluster.devices()) {
    Device device = sketch.cluster.device(id);
    device.piece_overhead = Duration{2};
    sketch.cluster.set_device(id, device);
  }
  sketch.model = InPieces{.objective = Objective::kThroughput};
  return sketch;
}

}  // namespace

TEST_CASE("where the model fits everywhere, all devices share all of it") {
  const Result result = run_placer("replicate", chain({10, 10, 30}).build());
  REQUIRE(result.placement);
  CHECK(result.placement->replicas.size() == 2);
  CHECK(result.simulation->value.count() == doctest::Approx(1 / (1 / 42.0 + 1 / 42.0 + 1 / 122.0)));
  // Nothing but the overheads of pieces lies between it and the bound.
  REQUIRE(result.lower_bound);
  CHECK(*result.gap() < 0.06);
  CHECK(run_placer("auto", chain({10, 10, 30}).build()).placement == result.placement);
}

TEST_CASE("a slow device that disturbs the others more than it helps is left out") {
  Sketch sketch = chain({10, 10, 1000});
  sketch.model = InPieces{.objective = Objective::kThroughput, .contention = 0.5};
  const Result result = run_placer("replicate", sketch.build());
  REQUIRE(result.placement);
  CHECK(result.placement->replicas == std::vector<Replica>{{DeviceId{1}, DeviceId{0}}});
}

TEST_CASE("where the model does not fit, pairs of devices share its halves") {
  Sketch sketch = chain({10, 10, 10, 10});
  for (std::size_t d = 0; d < 4; ++d) sketch.set_memory(d, 12);
  const Problem problem = sketch.build();
  const Result result = run_placer("replicate", problem);
  REQUIRE(result.placement);
  CHECK(result.placement->replicas.size() == 2);
  // Two nodes and an overhead on each device, every second sample: as four stages, without half
  // of the overheads.
  CHECK(result.simulation->value.count() == doctest::Approx(11));
  CHECK(run_placer("auto", problem).simulation->value.count() == doctest::Approx(11));
}

TEST_CASE("a pinned node keeps its device to itself, and latency is not shared") {
  Sketch sketch = chain({10, 10});
  sketch.constraints.pin = {{NodeId{0}, DeviceId{1}}};
  CHECK(run_placer("replicate", sketch.build()).reason ==
        "no devices could share a stage within limits and constraints");
  sketch.constraints.pin.clear();
  sketch.model = InPieces{.objective = Objective::kLatency};
  CHECK(run_placer("replicate", sketch.build()).reason ==
        "replicate is for throughput with call execution or throughput with pieces execution, not "
        "for latency with pieces execution");
}
