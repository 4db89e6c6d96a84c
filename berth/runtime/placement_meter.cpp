#include "berth/runtime/placement_meter.h"

#include <algorithm>
#include <list>
#include <utility>

#include "berth/runtime/estimate.h"
#include "berth/runtime/run_as.h"

namespace berth {
namespace {

class PlacementMeter {
 public:
  PlacementMeter(Runtime& runtime, std::shared_ptr<const Model> model,
                 std::vector<RealDevice> devices, const Problem& problem, const MeterPlan& plan)
      : runtime_(runtime),
        model_(std::move(model)),
        devices_(std::move(devices)),
        problem_(problem),
        kind_(executor_kind(problem)),
        plan_(plan) {}

  Duration measure(const Placement& placement) {
    Executor& executor = ready(placement);
    if (kind_ == ExecutorKind::kPipeline) {
      const int in_flight = requests_in_flight(devices_.size());
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
      std::unique_ptr<Executor> made =
          runtime_.prepare(*model_, devices_, with_predicted_order(problem_, placement), kind_);
      entries_.push_front({placement, std::move(made)});
      if (entries_.size() > plan_.executors) entries_.pop_back();
    }
    return *entries_.front().executor;
  }

  Runtime& runtime_;
  std::shared_ptr<const Model> model_;
  std::vector<RealDevice> devices_;
  Problem problem_;
  ExecutorKind kind_;
  MeterPlan plan_;
  std::list<Entry> entries_;
};

}  // namespace

Meter placement_meter(Runtime& runtime, std::shared_ptr<const Model> model,
                      std::vector<RealDevice> devices, const Problem& problem,
                      const MeterPlan& plan) {
  const auto meter = std::make_shared<PlacementMeter>(runtime, std::move(model), std::move(devices),
                                                      problem, plan);
  return [meter](const Placement& placement) { return meter->measure(placement); };
}

}  // namespace berth
