// What accelerate's infer_auto_device_map does, the rule behind device_map="auto".
//
// It looks at weights only: no times, no links, no activations. Modules are units here, in
// topological order; a device is filled, then the next one, and a device once left is never used
// again. Accelerators come first, then CPUs (its disk means: no placement). The size of the largest
// module still to come is kept free on the first accelerator and on the first CPU, nowhere else.
//
//   module fits:   used + size <= limit - reserve
//   balanced:      limit of every accelerator but the last, at most its memory
//                    = total / n + 1.25 * max(largest no-split block, mean leaf module)
//                  with one accelerator: 90 % of its memory
// A no-split block is a co-location unit of several nodes; the mean is over modules with weights.
//
// It is an imitation, with the original's faults: the reserve can starve the first device, and a
// first device smaller than the largest module stays empty. Constraints are honoured: a module that
// may not use the current device goes to the next that takes it, without giving the current one up.
#pragma once

#include "berth/place/context.h"

namespace berth {

struct DeviceMapOptions {
  bool balanced = true;
  void visit(auto& v) {
    v("balanced", balanced, "spread the weights evenly over the accelerators");
  }
};

void device_map(const Context& context, const DeviceMapOptions& options);

}  // namespace berth
