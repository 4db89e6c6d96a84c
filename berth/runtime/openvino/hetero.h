// A placement as OpenVINO's HETERO device takes it: the name of a device on every operator.
//
// HETERO wants an affinity on every operator of the model, Parameters, Constants and Results
// included. Those that are not nodes of the graph follow a neighbour: a Result its producer,
// everything else its first consumer.
#pragma once

#include "berth/runtime/openvino/model.h"

namespace berth {

// A copy of the model with affinities. `devices` are names.
std::shared_ptr<ov::Model> with_affinities(const OpenvinoModel& model,
                                           std::span<const std::string> devices,
                                           const Placement& placement);
// The device of an operator that has one.
const std::string* affinity_of(const ov::Node& op);

}  // namespace berth
