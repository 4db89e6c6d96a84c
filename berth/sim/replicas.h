// Stages of accelerator calls on several devices: replicas take samples in turn.
//
// A stage on r devices sees every r-th sample on each of them, so that each is busy, per sample,
// for
//   load_r(d) = load(d) / r + sync(r)
// with load(d) what the stage would cost alone on that device. In training the replicas agree on
// their weights once per sample of each, by an all-reduce in a ring:
//   sync(r) = 2 (r - 1) / r * weights of the stage / bandwidth
// where GPipe counts it as backward work. Every replica holds all weights. What others pay for
// their transfers does not change: data goes through host memory. (Of pieces the faster replica
// takes more samples: piece_execution.h.)
#pragma once

#include "berth/sim/loads.h"
#include "berth/sim/memory.h"

namespace berth {

// The loads of a placement with replicas that broken_rule accepts. O(replicas) evaluations.
Loads replicated_loads(const Problem& problem, const Placement& placement);

// A replica holds what the device it repeats holds.
void replicate_memory(const Placement& placement, IdVector<DeviceId, MemoryUse>& memory);

// The device, and those that repeat it.
std::vector<DeviceId> sharers(const Placement& placement, DeviceId device);

// How many devices share the work of this one, itself included.
std::size_t replica_count(const Placement& placement, DeviceId device);

}  // namespace berth
