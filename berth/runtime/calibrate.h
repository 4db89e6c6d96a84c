// What profiled operators do not tell: how long whole pieces really take.
//
// A piece takes longer than the sum of its operators. It is a request of its own, its tensors enter
// and leave in the plain layout and may be converted at the border, fusion across the border is lost,
// and other devices compete for memory. Fitted per device, over measured pieces of many placements:
//   time(piece) = scale * profiled(piece) + overhead + per_byte * border(piece)
// where border counts the bytes that are converted. Pieces add up to what is predicted, so that long
// ones matter more: the fit minimises the sum of error^2 / measured, where an error beyond a bound
// counts linearly (Huber), by reweighted least squares; a coefficient that would be negative is left
// out. Between a piece and the next one on another device passes the hand-over. O(samples) per round,
// some ten rounds.
//
// Huber, Robust Estimation of a Location Parameter, Annals of Mathematical Statistics 1964.
#pragma once

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
  double stretch = 1;     // of whole requests: measured over predicted, what pieces do not explain
  double crossing = 1;    // price of a crossing where pieces are not known (calibrated() in
                          // piece_problem.h), in borders and overheads of both sides

  friend bool operator==(const Calibration&, const Calibration&) = default;
};

// A device without samples keeps scale 1 and no overhead. `waits` are measured hand-overs. The
// stretch and the price of a crossing are left at 1: they take predictions of whole requests
// (runtime/profile.h).
Calibration calibrate(std::size_t devices, std::span<const PieceSample> pieces,
                      std::span<const Duration> waits);

}  // namespace berth
