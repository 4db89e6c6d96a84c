// What profiled operators do not tell: how long whole pieces really take.
//
// A piece takes longer than the sum of its operators. It is a request of its own, its tensors enter
// and leave in the plain layout and may be converted at the border, fusion across the border is
// lost, and other devices compete for memory. Fitted per device, over measured pieces of many
// placements:
//   time(piece) = scale * profiled(piece) + overhead + per_byte * border(piece)
// where border counts the bytes that are converted. While other devices are busy too, everything
// takes longer: a sample that overlapped with on average b other busy devices counts as measured /
// (1 + c b), c being the contention, which is measured by itself. Devices of one class share their
// fit. Where the whole model was timed on a device, that time fixes its scale: one device is what
// every split is compared with, and must be right. Pieces add up to what is predicted, so that long
// ones matter more: the fit minimises the sum of error^2 / measured, where an error beyond a bound
// counts linearly (Huber), by reweighted least squares; a coefficient that would be negative is
// left out. Between a piece and the next one on another device passes the hand-over. O(samples) per
// round, some ten rounds.
//
// Huber, Robust Estimation of a Location Parameter, Annals of Mathematical Statistics 1964.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "berth/base/ids.h"
#include "berth/base/units.h"

namespace berth {

struct PieceSample {
  DeviceId device{};
  Duration profiled{0};  // sum over its operators
  Bytes border{};        // that enter or leave in another layout
  Duration measured{0};
  double others = 0;  // busy devices beside its own, on average over its time
};

struct DeviceFit {
  double scale = 1;
  Duration overhead{0};
  double micros_per_byte = 0;

  Duration piece_time(Duration profiled, Bytes border) const {
    return scale * profiled + overhead +
           Duration{micros_per_byte * static_cast<double>(border.count)};
  }
  friend bool operator==(const DeviceFit&, const DeviceFit&) = default;
};

struct Calibration {
  std::vector<DeviceFit> devices;
  Duration hand_over{0};  // from the end of a piece to the start of the next on another device
  double contention = 0;  // slowdown of all by each further busy device

  friend bool operator==(const Calibration&, const Calibration&) = default;
};

// Pieces cost what their operators do.
inline Calibration no_calibration(std::size_t devices) {
  return {.devices = std::vector<DeviceFit>(devices)};
}

// `class_of` has a number per device, the same for devices that are alike; `scales` the scale of
// each class that is known. A class without samples keeps its scale, or 1, and no overhead. `waits`
// are measured hand-overs.
Calibration calibrate(std::span<const std::size_t> class_of,
                      std::span<const std::optional<double>> scales,
                      std::span<const PieceSample> pieces, std::span<const Duration> waits,
                      double contention = 0);

// What pieces cost beyond their operators, and hand-overs, times a factor.
Calibration with_extra_cost(Calibration calibration, double factor);

}  // namespace berth
