// What a placement sends between devices.
//
// A crossing is a (tensor, receiving device) pair: the tensor is made elsewhere and at least one of
// its consumers sits on the device, so it is sent there once. Its time is transfer(tensor, from,
// to) or, in the call model, the writing to host memory plus the reading from it; a tensor with
// several receivers is then written once, and each of its crossings shows that write. O(V + E).
#pragma once

#include "berth/placement.h"

namespace berth {

struct Crossing {
  TensorId tensor;
  DeviceId from, to;
  Duration time{0};      // per sample
  Bytes size{};          // of one run of the producer
  std::size_t uses = 0;  // consumers on the receiving device

  friend bool operator==(const Crossing&, const Crossing&) = default;
};

// The time of sending the tensor once, as the problem's execution model counts it.
Duration crossing_time(const Problem& problem, TensorId tensor, DeviceId from, DeviceId to);

// Longest first; equal ones by tensor, then receiving device.
std::vector<Crossing> crossings(const Problem& problem, const Placement& placement);

}  // namespace berth
