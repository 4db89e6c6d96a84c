#include "berth/runtime/run_as.h"

#include "berth/runtime/estimate.h"
#include "berth/sim/simulators.h"

namespace berth {

ExecutorKind executor_kind(const Problem& problem) {
  if (problem.objective() == Objective::kThroughput) return ExecutorKind::kPipeline;
  return problem.model().adds_up() ? ExecutorKind::kHetero : ExecutorKind::kConcurrent;
}

Duration typical_latency(Executor& executor, int requests) {
  executor.run_once();
  std::vector<Duration> times;
  for (int i = 0; i < requests; ++i) times.push_back(executor.run_once());
  return estimate(times).median;
}

Placement with_predicted_order(const Problem& problem, Placement placement) {
  const bool fits = placement.device_of.size() == problem.node_count();
  if (placement.order.empty() && fits)
    placement.order = Simulator(problem).start_order(placement.device_of.items());
  return placement;
}

}  // namespace berth
