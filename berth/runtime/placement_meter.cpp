#include "berth/runtime/placement_meter.h"

#include <algorithm>
#include <list>

#include "berth/runtime/run_as.h"

namespace berth {
namespace {

struct PlacementMeter {
  struct Ready {
    Placement placement;
    std::unique_ptr<Executor> executor;
  };

  Runtime& runtime;
  std::shared_ptr<const Model> model;
  std::vector<RealDevice> devices;
  Problem problem;
  MeterPlan plan;
  std::list<Ready> ready;  // the most recent one first

  Duration measure(const Placement& placement) {
    Executor& executor = executor_of(placement);
    if (executor_kind(problem) == ExecutorKind::kPipeline) {
      const int in_flight = requests_in_flight(devices.size());
      executor.run_many(in_flight, in_flight);
      const int samples = plan.requests * in_flight;
      return executor.run_many(samples, in_flight) / samples;
    }
    return typical_latency(executor, plan.requests);
  }

  Executor& executor_of(const Placement& placement) {
    const auto found = std::ranges::find(ready, placement, &Ready::placement);
    if (found != ready.end()) {
      ready.splice(ready.begin(), ready, found);
    } else {
      ready.push_front(
          {placement, runtime.prepare(*model, devices, with_predicted_order(problem, placement),
                                      executor_kind(problem))});
      if (ready.size() > plan.executors) ready.pop_back();
    }
    return *ready.front().executor;
  }
};

}  // namespace

Meter placement_meter(Runtime& runtime, std::shared_ptr<const Model> model,
                      std::vector<RealDevice> devices, const Problem& problem,
                      const MeterPlan& plan) {
  const auto meter = std::make_shared<PlacementMeter>(
      PlacementMeter{runtime, std::move(model), std::move(devices), problem, plan, {}});
  return [meter](const Placement& placement) { return meter->measure(placement); };
}

}  // namespace berth
