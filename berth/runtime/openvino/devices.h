// The devices of this machine: how the system describes them, and how OpenVINO is told of them.
//
// A group of CPU cores is an instance of the CPU plugin of its own, registered under the device's
// name, with as many threads as it has cores. The plugin pins one-thread models all to the same
// core, so its pinning is off and the executor pins the threads that call it instead. A device with
// all cores of the machine is left to the plugin's own pinning.
//
// Precision is always said: left to itself the plugin picks bf16 where the processor advertises
// AMX, which may be a trap (berth/runtime/machine.h).
#pragma once

#include <openvino/openvino.hpp>

#include "berth/runtime/runtime.h"

namespace berth {

// Makes the device known to `core`; safe to repeat. Throws Error when this machine has no such
// device.
void register_device(ov::Core& core, const RealDevice& device);

// Properties for compiling on the device, `streams` requests at a time.
ov::AnyMap compile_properties(const RealDevice& device, int streams = 1, bool profiling = false);

// What the device computes in.
ov::element::Type precision_of(const RealDevice& device);

// The devices that OpenVINO says the model was compiled for, joined by commas.
std::string executed_on(const ov::CompiledModel& compiled);

}  // namespace berth
