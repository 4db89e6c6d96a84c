// A placement as OpenVINO's HETERO device takes it: the name of a device on every operator.
//
// HETERO wants an affinity on every operator of the model, Parameters, Constants and Results
// included. Those that are not nodes of the graph follow a neighbour: a Result its producer,
// everything else its first consumer.
#pragma once

#include <memory>
#include <span>
#include <string>

#include <openvino/core/model.hpp>
#include <openvino/runtime/compiled_model.hpp>
#include <openvino/runtime/core.hpp>

#include "berth/placement.h"
#include "berth/runtime/openvino/model.h"
#include "berth/runtime/runtime.h"

namespace berth {

// A copy of the model with affinities. `devices` are names.
std::shared_ptr<ov::Model> with_affinities(const OpenvinoModel& model,
                                           std::span<const std::string> devices,
                                           const Placement& placement);
// The device of an operator that has one.
const std::string* affinity_of(const ov::Node& op);

// Throws Error when HETERO refuses the placement.
ov::CompiledModel compile_hetero(ov::Core& core, const OpenvinoModel& model,
                                 std::span<const RealDevice> devices, const Placement& placement);

}  // namespace berth
