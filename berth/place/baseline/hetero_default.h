// What OpenVINO's HETERO device does when nobody tells it better.
//
// A priority list of devices; each node goes to the first listed device that supports it. So the
// whole model usually sits on the first device. Where the rule above would overfill a device, the
// next listed one takes over, in topological order, as its policy for pipelines does; the real one
// would run out of memory. Devices that are not listed are not used, except by nodes pinned to
// them.
#pragma once

#include <string>

#include "berth/place/context.h"

namespace berth {

struct HeteroDefaultOptions {
  std::string order;  // empty: accelerators as listed in the problem, then CPUs
  void visit(auto& v) {
    v("order", order,
      "device names or kinds by priority, as GPU.CPU; empty: accelerators, then CPUs");
  }
};

void hetero_default(const Context& context, const HeteroDefaultOptions& options);

}  // namespace berth
