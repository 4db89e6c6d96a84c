// The score of a placement and when what runs, for searches that look at both.
//
// The score is that of Evaluator, to the last bit. In concurrent execution the recorded run gives
// its value and its memory as well: one simulation, where asking for the score and for the schedule
// would take two, or three with memory limits.
#pragma once

#include <span>

#include "berth/sim/evaluate.h"

namespace berth {

struct TimedScore {
  Score score;
  Schedule schedule;  // of one sample, as in Simulation
};

class TimedEvaluator {
 public:
  explicit TimedEvaluator(const Problem& problem);

  TimedScore operator()(std::span<const DeviceId> device_of);  // in priority order, one per node

 private:
  Problem problem_;
  MemoryRule rule_;
  Simulator simulator_;
  Evaluator evaluator_;
};

}  // namespace berth
