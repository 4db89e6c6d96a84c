#include "berth/runtime/openvino/device_setup.h"

#include <algorithm>
#include <fstream>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <openvino/runtime/properties.hpp>

#include "berth/base/error.h"
#include "berth/runtime/core_groups.h"
#include "berth/runtime/openvino/error_text.h"

namespace berth {
namespace {

ov::element::Type precision_of(const RealDevice& device) {
  return ov::element::Type(device.precisions.empty() ? std::string("f32")
                                                     : device.precisions.front());
}

// The highest of the cores' top frequencies, in kHz; empty where the system does not say.
std::string top_speed(const std::vector<int>& cores) {
  std::string fastest;
  for (const int core : cores) {
    std::ifstream file(
        fmt::format("/sys/devices/system/cpu/cpu{}/cpufreq/cpuinfo_max_freq", core));
    std::string speed;
    if (file >> speed && (speed.size() > fastest.size() || speed > fastest)) fastest = speed;
  }
  return fastest;
}

}  // namespace

void register_device(ov::Core& core, const RealDevice& device) {
  try {
    if (device.kind == DeviceKind::kCpu && device.name != "CPU") {
      // Registering a name twice throws, and asking for a property tells whether it is known.
      try {
        core.get_property(device.name, ov::device::full_name);
        return;
      } catch (const ov::Exception&) {
        core.register_plugin("openvino_intel_cpu_plugin", device.name);
      }
    }
    core.get_property(device.name, ov::device::full_name);
  } catch (const ov::Exception& error) {
    throw Error(fmt::format("device {}: OpenVINO has no such device here ({}); there are {}",
                            device.name, openvino_error_text(error.what()),
                            fmt::join(core.get_available_devices(), ", ")));
  }
}

bool is_whole_machine(const RealDevice& device) {
  return device.cores.size() == usable_cores().size();
}

ov::AnyMap compile_properties(const RealDevice& device, int streams, bool profiling) {
  ov::AnyMap properties{ov::hint::inference_precision(precision_of(device)),
                        ov::enable_profiling(profiling)};
  if (device.kind != DeviceKind::kCpu) return properties;
  properties.insert(ov::inference_num_threads(static_cast<int>(device.cores.size())));
  properties.insert(ov::num_streams(streams));
  if (!is_whole_machine(device)) properties.insert(ov::hint::enable_cpu_pinning(false));
  return properties;
}

std::string device_class(const RealDevice& device) {
  // The description begins with what the device is; core numbers do not matter.
  const std::size_t of = device.description.find(" of ");
  const std::string model =
      of == std::string::npos ? device.description : device.description.substr(of + 4);
  return fmt::format("{}|{}|{}|{}", model, device.cores.size(), top_speed(device.cores),
                     precision_of(device).get_type_name());
}

std::string executed_on(const ov::CompiledModel& compiled) {
  const std::vector<std::string> devices = compiled.get_property(ov::execution_devices);
  return fmt::format("{}", fmt::join(devices, ","));
}

}  // namespace berth
