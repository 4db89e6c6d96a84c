// Post on real runs: the table that the simulator has taught goes on learning from measured times.
//
// The simulator errs by some per cent and a machine measures with as much noise, so every sample is
// run in a pair with one fixed placement, the best of the simulator, and its value is the ratio of
// both times; what is drawn again is run again, a few times, and its value is the median. Six runs
// of the fixed placement against itself tell the noise s of one ratio. A value of n pairs has the
// deviation s / sqrt(n), by which the elite is weighted (refit.h). What does not fit is not run.
//
// Each sample costs one simulation and two real runs, until a placement has had its pairs.
#pragma once

#include <vector>

#include "berth/learn/grouped_sets.h"
#include "berth/learn/post/joint_loop.h"
#include "berth/learn/task.h"

namespace berth {

struct MeasuredStage {
  int samples = 240;
  int batch = 12;  // K
  JointLoopOptions loop;
};

// The placements that were run, best first. `simulated` has the table to start from and the samples
// to begin with. Needs a budget that can measure, and ends with its time.
std::vector<SetDevices> measured_stage(Task& task, const GroupedSets& groups,
                                       const JointLoop& simulated, const MeasuredStage& stage,
                                       Budget& budget, const Rng& rng);

}  // namespace berth
