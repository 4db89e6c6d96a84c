// The kernels that a compiled model really runs, and which operators are inside each.
//
// Plugins fuse operators, insert layout conversions and drop what needs no work: the 396 operators
// of ResNet-50's file run as 57 kernels. The runtime model tells which original operators a kernel
// stands for. A kernel that stands for none (a layout conversion) is charged to the kernel that
// waits for it, or else to the one that feeds it, so that no time is lost.
//
// A kernel's time depends on the signatures of its operators. Two operators with one signature take
// the same time on one device, so that the layers of a repeated block, and the same layer of
// another model, are measured once.
#pragma once

#include "berth/runtime/openvino/model.h"

namespace berth {

struct Kernel {
  std::string name;                       // as profiling reports it
  std::string signature;                  // what its time depends on
  std::vector<NodeId> nodes;              // ascending; empty for what the plugin inserted
  std::optional<std::size_t> charged_to;  // itself, or another kernel when it has no nodes
};

// An operator as far as its running time depends on it: type, attributes, shapes and element types,
// and small integer constants (axes, pads, ...), but neither its name nor its weights.
std::string op_signature(const ov::Node& op);

std::vector<Kernel> kernels_of(const OpenvinoModel& model, const ov::CompiledModel& compiled);

}  // namespace berth
