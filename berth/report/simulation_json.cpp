#include "berth/report/simulation_json.h"

#include "berth/io/json_writer.h"
#include "berth/modules/build_info.h"
#include "berth/report/summary.h"
#include "berth/sim/crossings.h"

namespace berth {
namespace {

// The writer turns the infinite time of unsupported work into null.
void write_time(JsonWriter& json, const char* key, const std::optional<Duration>& time) {
  json.key(key);
  time ? json.value(in_milliseconds(*time)) : json.null();
}

void write_or_null(JsonWriter& json, const char* key, const std::string& text) {
  json.key(key);
  text.empty() ? json.null() : json.value(text);
}

void write_bottleneck(JsonWriter& json, const Bottleneck& busiest) {
  json.key("bottleneck");
  json.open_object();
  json.member("kind", busiest.kind);
  json.member("name", busiest.name);
  write_time(json, "load_ms", busiest.load);
  json.close_object();
}

void write_device(JsonWriter& json, const Device& device, std::size_t nodes, Duration load,
                  const MemoryUse& use) {
  json.line(2);
  json.open_object();
  json.member("name", device.name);
  json.member("nodes", std::uint64_t{nodes});
  write_time(json, "load_ms", load);
  json.member("peak_bytes", use.peak().count);
  json.key("limit_bytes");
  device.memory ? json.value(device.memory->count) : json.null();
  json.key("memory");
  json.open_object();
  json.member("weights_bytes", use.weights.count);
  json.member("activation_bytes", use.activations.count);
  json.member("buffer_bytes", use.buffers.count);
  json.member("workspace_bytes", use.workspace.count);
  write_time(json, "moment_ms", use.moment);
  json.close_object();
  json.close_object();
}

void write_devices_and_channels(JsonWriter& json, const Problem& problem,
                                const Placement& placement, const Simulation& simulation) {
  IdVector<DeviceId, std::size_t> nodes(problem.device_count(), 0);
  for (const DeviceId device : placement.device_of) ++nodes[device];
  json.line(1);
  json.key("devices");
  json.open_array();
  for (const DeviceId id : problem.devices())
    write_device(json, problem.cluster().device(id), nodes[id], simulation.load[id],
                 simulation.memory[id]);
  json.close_array();
  json.line(1);
  json.key("channels");
  json.open_array();
  for (const ChannelId channel : simulation.traffic.ids()) {
    json.line(2);
    json.open_object();
    json.member("name", problem.cluster().channel_name(channel));
    write_time(json, "busy_ms", simulation.traffic[channel]);
    json.close_object();
  }
  json.close_array();
}

void write_worst_crossings(JsonWriter& json, const Problem& problem, const Placement& placement) {
  json.line(1);
  json.key("worst_crossings");
  json.open_array();
  std::size_t count = 0;
  for (const Crossing& crossing : crossings(problem, placement)) {
    if (count++ == kWorstCrossings) break;
    json.line(2);
    json.open_object();
    json.member("node", problem.graph().node(problem.graph().producer(crossing.tensor)).name);
    json.member("from", problem.cluster().device(crossing.from).name);
    json.member("to", problem.cluster().device(crossing.to).name);
    json.member("bytes", crossing.size.count);
    write_time(json, "time_ms", crossing.time);
    json.member("users", std::uint64_t{crossing.uses});
    json.close_object();
  }
  json.close_array();
}

void write_neighbours(JsonWriter& json, const Problem& problem, const char* key,
                      const std::vector<Neighbour>& neighbours) {
  json.line(2);
  json.key(key);
  json.open_array();
  for (const Neighbour& neighbour : neighbours) {
    json.line(3);
    json.open_object();
    json.member("node", problem.graph().node(neighbour.node).name);
    json.member("device", problem.cluster().device(neighbour.device).name);
    json.member("bytes", neighbour.size.count);
    write_time(json, "transfer_ms", neighbour.transfer);
    json.close_object();
  }
  json.close_array();
}

void write_explanation(JsonWriter& json, const Problem& problem, const Explanation& e) {
  json.line(1);
  json.key("explanation");
  json.open_object();
  json.member("node", problem.graph().node(e.node).name);
  json.member("device", problem.cluster().device(e.device).name);
  if (!e.replicas.empty()) {
    json.key("replicas");
    json.open_array();
    for (const DeviceId device : e.replicas) json.value(problem.cluster().device(device).name);
    json.close_array();
  }
  write_time(json, "start_ms", e.start);
  write_time(json, "finish_ms", e.finish);
  json.member("binding", e.binding);
  json.key("unit");
  json.open_array();
  for (const NodeId member : e.unit) json.value(problem.graph().node(member).name);
  json.close_array();
  json.line(2);
  json.key("alternatives");
  json.open_array();
  for (const Alternative& alternative : e.alternatives) {
    json.line(3);
    json.open_object();
    json.member("device", problem.cluster().device(alternative.device).name);
    write_time(json, "time_ms", alternative.time);
    write_time(json, "value_ms", alternative.value);
    write_or_null(json, "obstacle", alternative.obstacle);
    json.close_object();
  }
  json.close_array();
  write_neighbours(json, problem, "inputs", e.inputs);
  write_neighbours(json, problem, "outputs", e.outputs);
  json.close_object();
}

}  // namespace

std::string write_simulation(const std::string& input, const Problem& problem,
                             const Placement& placement, const Simulation& simulation,
                             const std::optional<Explanation>& explanation,
                             const std::vector<std::string>& warnings) {
  JsonWriter json;
  json.open_object();
  json.member("berth", version());
  json.member("input", input);
  json.member("objective", to_string(problem.objective()));
  json.member("execution", words_of(problem.model()).execution);
  json.line(1);
  json.member("feasible", simulation.feasible());
  write_time(json, "value_ms", simulation.value);
  write_or_null(json, "reason", simulation.broken.value_or(""));
  write_bottleneck(json, bottleneck(problem, simulation));
  json.line(1);
  json.member("subgraphs", std::uint64_t{simulation.subgraphs});
  json.member("crossings", std::uint64_t{simulation.crossings});
  json.member("crossing_bytes", simulation.crossing_bytes.count);
  write_devices_and_channels(json, problem, placement, simulation);
  write_worst_crossings(json, problem, placement);
  json.line(1);
  json.key("warnings");
  json.open_array();
  for (const std::string& warning : warnings) json.value(warning);
  json.close_array();
  if (explanation) write_explanation(json, problem, *explanation);
  json.close_object();
  return std::move(json).finish();
}

}  // namespace berth
