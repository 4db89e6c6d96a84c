#include "berth/runtime/openvino/devices.h"

#include <algorithm>
#include <fstream>

#include <dlfcn.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <openvino/runtime/intel_gpu/properties.hpp>

#include "berth/base/fail.h"
#include "berth/runtime/machine.h"
#include "berth/runtime/openvino/error_text.h"
#include "berth/runtime/openvino/openvino_runtime.h"

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

// f32 first: it is right everywhere. bf16 and f16 only where the processor's word can be trusted.
std::vector<std::string> precisions_of(ov::Core& core, const std::string& name, bool trusted) {
  std::vector<std::string> result{"f32"};
  if (!trusted) return result;
  const std::vector<std::string> capabilities = core.get_property(name, ov::device::capabilities);
  for (const auto& [capability, precision] : {std::pair{"BF16", "bf16"}, std::pair{"FP16", "f16"}})
    if (std::ranges::find(capabilities, capability) != capabilities.end())
      result.emplace_back(precision);
  return result;
}

// "core 3", "cores 0-3", "cores 0, 2, 5".
std::string cores_text(const std::vector<int>& cores) {
  if (cores.size() == 1) return fmt::format("core {}", cores.front());
  const bool in_a_row = cores.back() - cores.front() + 1 == static_cast<int>(cores.size()) &&
                        std::is_sorted(cores.begin(), cores.end());
  if (in_a_row) return fmt::format("cores {}-{}", cores.front(), cores.back());
  return fmt::format("cores {}", fmt::join(cores, ", "));
}

std::vector<RealDevice> cpu_devices(ov::Core& core, std::optional<int> groups) {
  const std::string model = core.get_property("CPU", ov::device::full_name);
  const std::vector<std::string> precisions =
      precisions_of(core, "CPU", amx_state() != AmxState::kTrap);
  const std::vector<std::vector<int>> divided = core_groups(usable_cores(), groups);
  const std::optional<Bytes> memory = machine_memory();
  std::vector<RealDevice> devices;
  for (std::size_t i = 0; i < divided.size(); ++i) {
    RealDevice device{.name = divided.size() == 1 ? "CPU" : fmt::format("CPU{}", i),
                      .description = fmt::format("{} of {}", cores_text(divided[i]), model),
                      .kind = DeviceKind::kCpu,
                      .cores = divided[i],
                      .precisions = precisions};
    // The groups share one memory; each may count on its part.
    if (memory) device.memory = Bytes{memory->count / static_cast<std::int64_t>(divided.size())};
    devices.push_back(std::move(device));
  }
  return devices;
}

std::optional<Bytes> gpu_memory(ov::Core& core, const std::string& name) {
  try {
    return Bytes{
        static_cast<std::int64_t>(core.get_property(name, ov::intel_gpu::device_total_mem_size))};
  } catch (const ov::Exception&) {
    return std::nullopt;  // not every driver says
  }
}

// The highest of the cores' top frequencies, in kHz; empty where the system does not say.
std::string top_speed(const std::vector<int>& cores) {
  std::string fastest;
  for (const int core : cores) {
    std::ifstream file(fmt::format("/sys/devices/system/cpu/cpu{}/cpufreq/cpuinfo_max_freq", core));
    std::string speed;
    if (file >> speed && (speed.size() > fastest.size() || speed > fastest)) fastest = speed;
  }
  return fastest;
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
    fail("device {}: OpenVINO has no such device here ({}); there are {}", device.name,
         openvino_error_text(error.what()), fmt::join(core.get_available_devices(), ", "));
  }
}

ov::AnyMap compile_properties(const RealDevice& device, int streams, bool profiling) {
  ov::AnyMap properties{ov::hint::inference_precision(precision_of(device)),
                        ov::enable_profiling(profiling)};
  if (device.kind != DeviceKind::kCpu) return properties;
  properties.insert(ov::inference_num_threads(static_cast<int>(device.cores.size())));
  properties.insert(ov::num_streams(streams));
  const bool whole_machine = device.cores.size() == usable_cores().size();
  if (!whole_machine) properties.insert(ov::hint::enable_cpu_pinning(false));
  return properties;
}

std::string executed_on(const ov::CompiledModel& compiled) {
  return fmt::format("{}", fmt::join(compiled.get_property(ov::execution_devices), ","));
}

std::vector<RealDevice> OpenvinoRuntime::devices(std::optional<int> groups) {
  std::vector<RealDevice> devices;
  for (const std::string& name : core_.get_available_devices()) {
    if (name == "CPU") {
      devices = cpu_devices(core_, groups);
    } else if (name.starts_with("GPU") || name.starts_with("NPU")) {
      const bool is_gpu = name.starts_with("GPU");
      devices.push_back({.name = name,
                         .description = core_.get_property(name, ov::device::full_name),
                         .kind = is_gpu ? DeviceKind::kGpu : DeviceKind::kNpu,
                         .memory = is_gpu ? gpu_memory(core_, name) : std::nullopt,
                         .cores = {},
                         .precisions = precisions_of(core_, name, true)});
    }  // anything else is a second name of a CPU, registered by this runtime
  }
  return devices;
}

std::vector<bool> OpenvinoRuntime::supported(const Model& model, const RealDevice& device) {
  register_device(core_, device);
  const ov::SupportedOpsMap answer = explain_refusal(
      fmt::format("{}: device {} cannot say what it supports", model.name(), device.name), [&] {
        return core_.query_model(openvino_model(model).ov_model(), device.name,
                                 compile_properties(device));
      });
  std::vector<bool> result;
  for (const NodeId node : model.graph().nodes())
    result.push_back(answer.contains(model.graph().node(node).name));
  return result;
}

std::string OpenvinoRuntime::device_class(const RealDevice& device) const {
  // The description begins with what the device is; core numbers do not matter.
  const std::size_t of = device.description.find(" of ");
  const std::string model =
      of == std::string::npos ? device.description : device.description.substr(of + 4);
  return fmt::format("{}|{}|{}|{}", model, device.cores.size(), top_speed(device.cores),
                     precision_of(device).get_type_name());
}

std::string OpenvinoRuntime::version() const {
  return fmt::format("OpenVINO {}", ov::get_openvino_version().buildNumber);
}

}  // namespace berth
