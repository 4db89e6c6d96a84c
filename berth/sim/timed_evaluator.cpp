#include "berth/sim/timed_evaluator.h"

namespace berth {

TimedEvaluator::TimedEvaluator(const Problem& problem)
    : problem_(problem), rule_(memory_rule(problem)), simulator_(problem), evaluator_(problem) {}

TimedScore TimedEvaluator::operator()(std::span<const DeviceId> device_of) {
  TimedScore result{.score = {}, .schedule = simulator_.schedule(device_of, {})};
  if (!problem_.as<Concurrent>()) {  // other models add up another way than their schedule
    result.score = evaluator_(device_of);
    return result;
  }
  result.score = {result.schedule.makespan, simulator_.beyond_model(device_of)};
  if (rule_ == MemoryRule::kNeverBinds) return result;
  Placement placement;
  placement.device_of = IdVector<NodeId, DeviceId>(std::vector(device_of.begin(), device_of.end()));
  result.score.overflow +=
      memory_overflow(problem_.cluster(), peak_memory(problem_, placement, result.schedule));
  return result;
}

}  // namespace berth
