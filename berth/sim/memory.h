// Peak memory of each device, by tensor lifetime.
//
// On a device live, at any moment:
//   weights      of all nodes placed there, and a copy of each shared weight that is used there
//                and held elsewhere, all the time (held_weights.h); a tensor of role kWeight is
//                nothing beyond that;
//   activations  a tensor made there, from its producer's start until its last use is over: the
//                finish of its last consumer there, or the end of its last transfer away;
//                the outputs of the model (tensors that nobody uses) until the end;
//   buffers      a tensor received there, from the start of the transfer to the finish of its last
//                consumer there;
//   workspace    of a node while it runs.
// A sum of gradients (kGradientSum) that the node adds its part to is over at the node's start: the
// next sum takes its room.
// The peak is the largest sum over time; intervals are half open, so what ends at an instant makes
// room for what starts then.
//
// In a pipeline several samples are in flight. To the peak of one sample is added, as buffers:
//   inference  what the device receives for one sample, once more: the next one arrives meanwhile;
//   training   (s_d - 1) * stash(d): the forward tensors on d, made or received, that a backward
//              node on d uses, for every further sample between its forward and backward pass.
//              1F1B: s_d = number of used devices - rank of d (0, 1, ...) by the topological
//              position of its first forward node. GPipe: s_d = microbatches.
// Weights are not among them: all samples use the same.
// The call model is static, as dnn-partitioning's size limit: all weights, with the copies of shared
// ones, and the largest workspace.
#pragma once

#include "berth/placement.h"
#include "berth/sim/schedule.h"

namespace berth {

struct MemoryUse {
  Bytes weights{}, activations{}, buffers{}, workspace{};  // at the moment of the peak
  Duration moment{0};                                      // when the peak is first reached

  Bytes peak() const { return weights + activations + buffers + workspace; }
  friend bool operator==(const MemoryUse&, const MemoryUse&) = default;
};

IdVector<DeviceId, MemoryUse> peak_memory(const Problem& problem, const Placement& placement,
                                          const Schedule& schedule);

// max(0, held / limit - 1); with a limit of zero every byte counts as one.
inline double overflow_of(const Device& device, Bytes held) {
  if (!device.memory || held <= *device.memory) return 0;
  const double bytes = static_cast<double>(held.count);
  return device.memory->count == 0 ? bytes
                                   : bytes / static_cast<double>(device.memory->count) - 1.0;
}
// The sum over devices, at their peaks.
double memory_overflow(const Cluster& cluster, const IdVector<DeviceId, MemoryUse>& use);

}  // namespace berth
