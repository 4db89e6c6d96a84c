// A calibration measured: sample placements run for real, and what pieces cost is fitted to them.
//
// Sample placements of every grain (sample_placements.h) run as pieces, several times each; what
// their pieces took, and what passed between them, is fitted (calibrate.h). Others are run beside
// them and not fitted, for an honest error.
//
// A shared machine is slower at one time than at another, by more than a cut costs. The whole model
// is therefore timed between any two placements, and with w(i) its time around placement i
//   drift(i) = w(i) / median of all w
// divides what that placement showed before it is fitted. What is compared with a prediction is
// left as it was measured, or divided by its drift where this is said.
#pragma once

#include <cmath>
#include <functional>

#include "berth/runtime/calibrate.h"
#include "berth/runtime/runtime.h"

namespace berth {

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

// The middle one, or the mean of the middle two; 0 for none.
double median_error(std::span<const Measured> measured);

// A number per device, the same for devices of one class.
std::vector<std::size_t> classes_of(Runtime& runtime, std::span<const RealDevice> devices);

}  // namespace berth
