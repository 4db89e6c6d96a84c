// An operator as far as its running time depends on it: type, attributes, shapes and element types,
// and small integer constants (axes, pads, ...), but neither its name nor its weights.
//
// Two operators with one signature take the same time on one device, so that the layers of a
// repeated block, and the same layer of another model, are measured once.
#pragma once

#include <string>

#include <openvino/core/node.hpp>

namespace berth {

std::string op_signature(const ov::Node& op);

}  // namespace berth
