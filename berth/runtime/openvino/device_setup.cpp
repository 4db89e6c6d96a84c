#include "berth/runtime/openvino/device_setup.h"

#include <filesystem>
#include <vector>

#include <dlfcn.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <openvino/core/version.hpp>
#include <openvino/runtime/properties.hpp>

#include "berth/base/error.h"
#include "berth/runtime/core_groups.h"
#include "berth/runtime/openvino/error_text.h"

namespace berth {
namespace {

// The plugin's file, in the folder of OpenVINO's own library. Its bare name would do, but a
// sanitizer that stands in for dlopen loses the search path of the library that asks.
std::string cpu_plugin() {
  Dl_info info{};
  if (dladdr(reinterpret_cast<const void*>(&ov::get_openvino_version), &info) != 0 &&
      info.dli_fname != nullptr) {
    const std::filesystem::path file =
        std::filesystem::absolute(info.dli_fname).parent_path() / "libopenvino_intel_cpu_plugin.so";
    if (std::filesystem::exists(file)) return file.string();
  }
  return "openvino_intel_cpu_plugin";
}

}  // namespace

ov::element::Type precision_of(const RealDevice& device) {
  return ov::element::Type(device.precisions.empty() ? std::string("f32")
                                                     : device.precisions.front());
}

void register_device(ov::Core& core, const RealDevice& device) {
  try {
    if (device.kind == DeviceKind::kCpu && device.name != "CPU") {
      // Registering a name twice throws, and asking for a property tells whether it is known.
      try {
        core.get_property(device.name, ov::device::full_name);
        return;
      } catch (const ov::Exception&) {
        core.register_plugin(cpu_plugin(), device.name);
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

std::string executed_on(const ov::CompiledModel& compiled) {
  const std::vector<std::string> devices = compiled.get_property(ov::execution_devices);
  return fmt::format("{}", fmt::join(devices, ","));
}

}  // namespace berth
