// A model measured on real devices: a Problem whose costs are this machine's.
//
// Operators are timed by the runtime (OpTimes); those that run as one kernel share a co-location
// group from then on, because their times are known only together. What pieces cost beyond their
// operators is calibrated in real runs (calibration_run.h), and remembered under the model's
// structure and the classes of devices.
#pragma once

#include "berth/runtime/calibration_run.h"

namespace berth {

// The model with the times that were measured. Latency of concurrent execution.
Problem profiled_problem(const Model& model, const Cluster& cluster, const OpTimes& times);

std::optional<Calibration> remembered_calibration(Runtime& runtime, const Model& model,
                                                  std::span<const RealDevice> devices,
                                                  const RecordFile& cache);
void remember_calibration(Runtime& runtime, const Model& model, std::span<const RealDevice> devices,
                          const Calibration& calibration, RecordFile& cache);

struct ProfilePlan {
  CalibrationPlan calibration{.fit = 12, .check = 6};
  bool calibrate_again = false;  // whatever is remembered
};

struct ModelProfile {
  Problem profiled;
  Calibration calibration;
  OpTimes times;
  // Empty: the calibration was remembered, or there is one device.
  std::optional<CalibrationRun> run;
  bool was_too_slow = false;  // what was remembered was not believed, and measured again
};

// Operators measured and pieces calibrated, as far as the cache does not know them. A machine that
// was busy when it was measured is not taken for slow for ever: the whole model is timed each time,
// and when what is remembered takes it for more than 25 % slower than it is, all is measured again.
// A calibration whose error on placements that were not fitted is larger than that is not
// remembered.
ModelProfile profile_model(Runtime& runtime, const Model& model,
                           std::span<const RealDevice> devices, const Cluster& cluster,
                           RecordFile& cache, const ProfilePlan& plan);

// What to know about it: that it was measured again, or that it cannot be relied on.
std::vector<std::string> profile_warnings(const ModelProfile& profile);

}  // namespace berth
