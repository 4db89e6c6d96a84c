// berth doctor: what this machine and this build can do, and why not.

#include "berth/base/listed.h"
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

struct AmxWords {
  const char *word, *text;
};

AmxWords amx_words(AmxState state) {
  if (state == AmxState::kUsable) return {"usable", "AMX works"};
  if (state == AmxState::kTrap)
    return {"trap",
            "AMX is advertised but its tiles are hidden: bf16 would crash, berth stays in f32"};
  return {"absent", "no AMX: bf16 is slow or emulated, berth stays in f32"};
}

void print_text(const Machine& machine, const std::vector<ModuleReport>& parts,
                const std::vector<RealDevice>& devices) {
  fmt::print("{}\n\n", version_text());
  fmt::print("machine    {}\n", machine.system);
  fmt::print("processor  {}; {}\n", machine.processor, plural(machine.cores, "core"));
  fmt::print("memory     {}, {} free\n", bytes_text(machine.memory),
             bytes_text(machine.free_memory));
  fmt::print("vectors    {}; {}\n\n", machine.vector_units, amx_words(machine.amx).text);

  Table table({"part", "works", "version", "used for", "detail"});
  for (const ModuleReport& part : parts)
    table.add_row({part.name, part.available ? "yes" : "no",
                   part.version.empty() ? "-" : part.version, part.purpose, part.detail});
  fmt::print("{}\n", table.text());
  Table local({"device", "kind", right("memory"), "what it is"});
  for (const RealDevice& device : devices)
    local.add_row(
        {device.name, to_string(device.kind), bytes_text(device.memory),
         fmt::format("{}; computes in {}", device.description, listed(device.precisions))});
  if (devices.empty())
    fmt::print("no devices to run on: that takes OpenVINO\n\n");
  else
    fmt::print("{}\n", local.text());
  fmt::print("{} (berth methods); clusters: local (the devices above), {}\n",
             plural(placers().size(), "method"), listed(built_in_cluster_names()));
}

std::string as_json(const Machine& machine, const std::vector<ModuleReport>& parts,
                    const std::vector<RealDevice>& devices) {
  return json_object([&](JsonWriter& json) {
    json.member("berth", version());
    json.member("commit", commit());
    json.member("system", machine.system);
    json.member("processor", machine.processor);
    json.member("cores", machine.cores);
    json.member("memory_bytes", machine.memory);
    json.member("free_memory_bytes", machine.free_memory);
    json.member("vector_units", machine.vector_units);
    json.member("amx", amx_words(machine.amx).word);
    json.line(1).objects("parts", parts, 2, [&](const ModuleReport& part) {
      json.member("name", part.name);
      json.member("purpose", part.purpose);
      json.member("works", part.available);
      json.member("version", part.version);
      json.member("detail", part.detail);
    });
    json.line(1).objects("devices", devices, 2, [&](const RealDevice& device) {
      json.member("name", device.name);
      json.member("kind", to_string(device.kind));
      json.member("description", device.description);
      json.member("memory_bytes", device.memory);
      json.member("precisions", device.precisions);
    });
    std::vector<std::string> clusters = built_in_cluster_names();
    clusters.insert(clusters.begin(), "local");
    json.line(1).member("clusters", clusters);
  });
}

int doctor(const DoctorOptions& options) {
  const Machine machine = this_machine();
  std::vector<ModuleReport> parts;  // each opened and tried in a child process
  for (const ModuleKind kind : kModuleKinds) parts.push_back(probe_module(kind));
  std::vector<RealDevice> devices;  // none where OpenVINO does not work
  if (parts[static_cast<std::size_t>(ModuleKind::kOpenvino)].available)
    devices = openvino_runtime().devices();
  if (options.json)
    fmt::print("{}", as_json(machine, parts, devices));
  else
    print_text(machine, parts, devices);
  return kDone;
}

}  // namespace

std::string version_text() {
  return fmt::format("berth {}{}", version(),
                     commit().empty() ? "" : fmt::format(" ({})", commit()));
}

void add_doctor(CLI::App& app, Action& chosen) {
  const auto [verb, options] =
      add_verb(app, chosen, "doctor", "what this machine and build can do, and why not", doctor);
  verb.add_flag("--json", options.json, "print one JSON object");
}

}  // namespace berth
