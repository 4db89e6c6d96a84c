// Devices that share stages: whole samples go to one device or another.
//
// For throughput nothing has to be cut at all where every device can hold the model: each runs
// all of it on its own samples, no piece begins, no tensor crosses, and no device waits (the
// data-parallel answer, and what a CPU does with one stream per core). Where the model does not fit
// on one device, stages of a pipeline are shared in the same way. Devices are sorted by what the
// whole model would take on each, and for groups of size
//   r = D, D / 2, D / 4, ..., 2
// every r neighbours become one device (replica_groups.h); `method` places the model on these, and
// the simulator scores what comes out with its replicas. With one group only there is nothing to
// place, and the slowest members are left out one by one: their contention may cost more than their
// work is worth. The best placement of all wins.
//
// Cost: D evaluations, and log2 D searches where there are more than two devices.
#pragma once

#include <string>

#include "berth/place/context.h"

namespace berth {

struct ReplicateOptions {
  std::string method = "local-search";
  void visit(auto& v) {
    v("method", method, "spec of the method that places on groups of devices");
  }
};

void replicate(const Context& context, const ReplicateOptions& options);

}  // namespace berth
