#include "berth/runtime/placement_meter.h"

#include <algorithm>
#include <list>
#include <utility>

#include "berth/runtime/estimate.h"

namespace berth {
namespace {

// Enough requests for every device to have one at hand while the next arrives.
constexpr int kInFlightPerDevice = 2;

ExecutorKind kind_of(const ExecutionModel& model) {
  if (model.objective() == Objective::kThroughput) return ExecutorKind::kPipeline;
  return model.as<Sequential>() ? ExecutorKind::kHetero : ExecutorKind::kConcurrent;
}

class PlacementMeter {
 public:
  PlacementMeter(Runtime& runtime, std::shared_ptr<const Model> model,
                 std::vector<RealDevice> devices, const ExecutionModel& execution,
                 const MeterPlan& plan)
      : runtime_(runtime),
        model_(std::move(model)),
        devices_(std::move(devices)),
        kind_(kind_of(execution)),
        plan_(plan) {}

  Duration measure(const Placement& placement) {
    Executor& executor = ready(placement);
    if (kind_ == ExecutorKind::kPipeline) {
      const int in_flight = kInFlightPerDevice * static_cast<int>(devices_.size());
      executor.run_many(in_flight, in_flight);
      const int samples = plan_.requests * in_flight;
      return executor.run_many(samples, in_flight) / samples;
    }
    executor.run_once();
    std::vector<Duration> times;
    for (int i = 0; i < plan_.requests; ++i) times.push_back(executor.run_once());
    return estimate(times).median;
  }

 private:
  struct Entry {
    Placement placement;
    std::unique_ptr<Executor> executor;
  };

  Executor& ready(const Placement& placement) {
    const auto found = std::find_if(entries_.begin(), entries_.end(), [&](const Entry& entry) {
      return entry.placement == placement;
    });
    if (found != entries_.end()) {
      entries_.splice(entries_.begin(), entries_, found);  // the most recent one
    } else {
      std::unique_ptr<Executor> made = runtime_.prepare(*model_, devices_, placement, kind_);
      entries_.push_front({placement, std::move(made)});
      if (entries_.size() > plan_.executors) entries_.pop_back();
    }
    return *entries_.front().executor;
  }

  Runtime& runtime_;
  std::shared_ptr<const Model> model_;
  std::vector<RealDevice> devices_;
  ExecutorKind kind_;
  MeterPlan plan_;
  std::list<Entry> entries_;
};

}  // namespace

Meter placement_meter(Runtime& runtime, std::shared_ptr<const Model> model,
                      std::vector<RealDevice> devices, const ExecutionModel& execution,
                      const MeterPlan& plan) {
  const auto meter = std::make_shared<PlacementMeter>(runtime, std::move(model), std::move(devices),
                                                      execution, plan);
  return [meter](const Placement& placement) { return meter->measure(placement); };
}

}  // namespace berth
