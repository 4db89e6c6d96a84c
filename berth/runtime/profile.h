// A model measured on real devices: a Problem whose costs are this machine's.
//
// Operators are timed by the runtime (OpTimes); those that run as one kernel share a co-location
// group from then on, because their times are known only together. Calibration runs sample
// placements as pieces (sample_placements.h), several times each, and fits what pieces cost beyond
// their operators (calibrate.h). It can be remembered under the model's structure and the classes
// of devices.
//
// A shared machine is slower at one time than at another, by more than a cut costs. The whole model
// is therefore timed between any two placements, and with w(i) its time around placement i
//   drift(i) = w(i) / median of all w
// divides what that placement showed before it is fitted. What is compared with a prediction is
// left as it was measured, or divided by its drift where this is said.
#pragma once

#include <cmath>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "berth/cost/devices.h"
#include "berth/io/record_file.h"
#include "berth/problem.h"
#include "berth/runtime/calibrate.h"
#include "berth/runtime/runtime.h"

namespace berth {

// The model with the times that were measured. Latency of concurrent execution.
Problem profiled_problem(const Model& model, const Cluster& cluster, const OpTimes& times);

// One placement as it ran and as it was predicted.
struct Measured {
  Placement placement;
  Duration measured{0}, predicted{0};
  std::size_t pieces = 0;
  double drift = 1;  // how much slower than usual the machine was

  double error() const { return std::abs(predicted / measured - 1); }
  double error_without_drift() const { return std::abs(predicted * drift / measured - 1); }
};

struct CalibrationRun {
  Calibration calibration;
  std::vector<Measured> fitted;    // the placements it was fitted on
  std::vector<Measured> held_out;  // and others, for an honest error
};

struct CalibrationPlan {
  std::size_t fit = 20, check = 0;  // placements
  int runs = 5;                     // of each; medians count
  std::uint64_t seed = 1;
  std::function<void(std::size_t done, std::size_t all)> progress{};
};

CalibrationRun calibrate_on(Runtime& runtime, const Model& model,
                            std::span<const RealDevice> devices, const Problem& profiled,
                            const CalibrationPlan& plan);

std::optional<Calibration> remembered_calibration(Runtime& runtime, const Model& model,
                                                  std::span<const RealDevice> devices,
                                                  const RecordFile& cache);
void remember_calibration(Runtime& runtime, const Model& model, std::span<const RealDevice> devices,
                          const Calibration& calibration, RecordFile& cache);

struct ProfilePlan {
  CalibrationPlan calibration{.fit = 12, .check = 6};
  bool calibrate_again = false;
};

struct ModelProfile {
  Problem profiled;
  Calibration calibration;
  OpTimes times;
  std::optional<CalibrationRun>
      run;                    // empty: the calibration was remembered, or there is one device
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

// The middle one, or the mean of the middle two; 0 for none.
double median_error(std::span<const Measured> measured);

}  // namespace berth
