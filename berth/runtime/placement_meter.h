// Placements run for real, for methods that measure (search/budget.h).
//
// One measurement of a placement is a few requests, the first of which warms up and is not counted;
// their median is the answer. How it runs follows from the problem (run_as.h); for throughput it is
// a burst. Inputs are the same for all placements. The last few executors are kept,
// so that two placements that take turns are made ready once; the runtime keeps compiled pieces of
// older ones.
#pragma once

#include "berth/runtime/runtime.h"
#include "berth/search/budget.h"

namespace berth {

struct MeterPlan {
  int requests = 5;           // that count, per measurement
  std::size_t executors = 4;  // kept ready
};

// The runtime is borrowed. `devices` are the problem's, in their order, and its nodes the model's.
Meter placement_meter(Runtime& runtime, std::shared_ptr<const Model> model,
                      std::vector<RealDevice> devices, const Problem& problem,
                      const MeterPlan& plan = {});

}  // namespace berth
