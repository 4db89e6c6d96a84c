// berth doctor: what this machine and this build can do, and why not.

#include <memory>

#include <fmt/format.h>

#include "berth/base/text.h"
#include "berth/cost/clusters.h"
#include "berth/io/json_writer.h"
#include "berth/modules/build_info.h"
#include "berth/modules/module.h"
#include "berth/place/registry.h"
#include "berth/report/table.h"
#include "berth/runtime/machine.h"
#include "berth/runtime/runtime.h"
#include "cli/commands.h"

namespace berth {
namespace {

struct DoctorOptions {
  bool json = false;
};

const char* amx_text(AmxState state) {
  switch (state) {
    case AmxState::kUsable:
      return "AMX works";
    case AmxState::kTrap:
      return "AMX is advertised but its tiles are hidden: bf16 would crash, berth stays in f32";
    case AmxState::kAbsent:
      break;
  }
  return "no AMX: bf16 is slow or emulated, berth stays in f32";
}

// The devices that placements can run on; none where OpenVINO does not work.
std::vector<RealDevice> local_devices(const std::vector<ModuleReport>& parts) {
  for (const ModuleReport& part : parts)
    if (part.name == "OpenVINO" && part.available) return openvino_runtime().devices();
  return {};
}

std::string device_text(const RealDevice& device) {
  return fmt::format("{}; computes in {}", device.description, fmt::join(device.precisions, ", "));
}

// Each part is opened and tried in a child process.
std::vector<ModuleReport> probe_parts() {
  std::vector<ModuleReport> parts;
  for (const ModuleKind kind : kModuleKinds) parts.push_back(probe_module(kind));
  return parts;
}

void print_text(const Machine& machine, const std::vector<ModuleReport>& parts,
                const std::vector<RealDevice>& devices) {
  fmt::print("berth {}{}\n\n", version(), commit().empty() ? "" : fmt::format(" ({})", commit()));
  fmt::print("machine    {}\n", machine.system);
  fmt::print("processor  {}; {}\n", machine.processor, plural(machine.cores, "core"));
  fmt::print("memory     {}, {} free\n", bytes_text(machine.memory),
             bytes_text(machine.free_memory));
  fmt::print("vectors    {}; {}\n\n", machine.vector_units, amx_text(machine.amx));

  Table table({{"part"}, {"works"}, {"version"}, {"used for"}, {"detail"}});
  for (const ModuleReport& part : parts)
    table.add_row({part.name, part.available ? "yes" : "no",
                   part.version.empty() ? "-" : part.version, part.purpose, part.detail});
  fmt::print("{}\n", table.text());
  Table local({{"device"}, {"kind"}, {"memory", Align::kRight}, {"what it is"}});
  for (const RealDevice& device : devices)
    local.add_row({device.name, to_string(device.kind),
                   device.memory ? bytes_text(*device.memory) : "-", device_text(device)});
  if (devices.empty())
    fmt::print("no devices to run on: that takes OpenVINO\n\n");
  else
    fmt::print("{}\n", local.text());
  const std::vector<std::string> clusters = built_in_cluster_names();
  fmt::print("{} (berth methods); clusters: local (the devices above), {}\n",
             plural(placers().size(), "method"), fmt::join(clusters, ", "));
}

const char* amx_word(AmxState state) {
  switch (state) {
    case AmxState::kUsable:
      return "usable";
    case AmxState::kTrap:
      return "trap";
    case AmxState::kAbsent:
      break;
  }
  return "absent";
}

void print_json(const Machine& machine, const std::vector<ModuleReport>& parts,
                const std::vector<RealDevice>& devices) {
  JsonWriter json;
  json.open_object();
  json.member("berth", version());
  json.member("commit", commit());
  json.member("system", machine.system);
  json.member("processor", machine.processor);
  json.member("cores", std::uint64_t{machine.cores});
  json.member("memory_bytes", machine.memory.count);
  json.member("free_memory_bytes", machine.free_memory.count);
  json.member("vector_units", machine.vector_units);
  json.member("amx", amx_word(machine.amx));
  json.line(1);
  json.key("parts");
  json.open_array();
  for (const ModuleReport& part : parts) {
    json.line(2);
    json.open_object();
    json.member("name", part.name);
    json.member("purpose", part.purpose);
    json.member("works", part.available);
    json.member("version", part.version);
    json.member("detail", part.detail);
    json.close_object();
  }
  json.close_array();
  json.line(1);
  json.key("devices");
  json.open_array();
  for (const RealDevice& device : devices) {
    json.line(2);
    json.open_object();
    json.member("name", device.name);
    json.member("kind", to_string(device.kind));
    json.member("description", device.description);
    json.key("memory_bytes");
    if (device.memory)
      json.value(device.memory->count);
    else
      json.null();
    json.key("precisions");
    json.open_array();
    for (const std::string& precision : device.precisions) json.value(precision);
    json.close_array();
    json.close_object();
  }
  json.close_array();
  json.line(1);
  json.key("clusters");
  json.open_array();
  json.value("local");
  for (const std::string& name : built_in_cluster_names()) json.value(name);
  json.close_array();
  json.close_object();
  fmt::print("{}", std::move(json).finish());
}

int doctor(const DoctorOptions& options) {
  const Machine machine = this_machine();
  const std::vector<ModuleReport> parts = probe_parts();
  const std::vector<RealDevice> devices = local_devices(parts);
  if (options.json)
    print_json(machine, parts, devices);
  else
    print_text(machine, parts, devices);
  return kDone;
}

}  // namespace

void add_doctor(CLI::App& app, Action& chosen) {
  auto options = std::make_shared<DoctorOptions>();
  CLI::App& verb = *app.add_subcommand("doctor", "what this machine and build can do, and why not");
  verb.add_flag("--json", options->json, "print one JSON object");
  verb.callback([options, &chosen] { chosen = [options] { return doctor(*options); }; });
}

}  // namespace berth
