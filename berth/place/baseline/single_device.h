// Everything on one device: the floor every table starts from.
//
// Each device that may run every node is tried and measured by the simulator; the best feasible one
// wins, the first of equals. One evaluation per device.
#pragma once

#include <string>

#include "berth/place/context.h"

namespace berth {

struct SingleDeviceOptions {
  std::string device;  // its name; empty: the best one
  void visit(auto& v) { v("device", device, "name of the device; empty: the best of all"); }
};

void single_device(const Context& context, const SingleDeviceOptions& options);

}  // namespace berth
