// Devices in classes of interchangeable ones: same times, same limits, same transfer times, same
// constraints. In dnn-partitioning's files there are two: accelerators and CPUs.
#pragma once

#include "berth/problem.h"

namespace berth {

struct DeviceClass {
  std::vector<DeviceId> devices;       // interchangeable
  std::optional<std::int64_t> memory;  // bytes per device
  int price = -1;                      // which transfer prices it pays; -1: none (a CPU)
  std::size_t count() const { return devices.size(); }
};

// Those that pay first, of these the most numerous.
std::vector<DeviceClass> device_classes(const Problem& problem);

// What a device pays for a tensor, in microseconds; at least that much in a pipeline over links.
struct TensorPrice {
  double read = 0, write = 0;
  friend bool operator==(const TensorPrice&, const TensorPrice&) = default;
};
TensorPrice least_price(const Problem& problem, TensorId tensor, DeviceId device);

}  // namespace berth
