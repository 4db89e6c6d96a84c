#include "berth/report/result_json.h"

#include "berth/io/json_writer.h"
#include "berth/modules/build_info.h"

namespace berth {

namespace {

void write_optional(JsonWriter& json, const char* name, const std::optional<double>& number) {
  json.key(name);
  number ? json.value(*number) : json.null();
}

void write_devices_of(JsonWriter& json, const Result& result, const Problem& problem) {
  json.line(1);
  json.key("devices");
  json.open_array();
  for (const DeviceId d : problem.devices()) {
    json.open_object();
    json.member("name", problem.cluster().device(d).name);
    json.member("load_ms", result.simulation ? in_milliseconds(result.simulation->load[d]) : 0.0);
    json.member("peak_bytes",
                result.simulation ? result.simulation->memory[d].peak().count : std::int64_t{0});
    json.close_object();
  }
  json.close_array();
}

// Only where a network between servers counts.
void write_servers_of(JsonWriter& json, const Simulation& simulation, const Problem& problem) {
  const Servers servers = problem.cluster().servers();
  json.line(1);
  json.key("servers");
  json.open_array();
  for (std::size_t s = 0; s < servers.count(); ++s) {
    json.open_object();
    json.member("name", servers.names[s]);
    json.key("devices");
    json.open_array();
    for (const DeviceId d : problem.devices())
      if (servers.of[d] == s) json.value(problem.cluster().device(d).name);
    json.close_array();
    json.member("network_ms", in_milliseconds(simulation.network[s]));
    json.close_object();
  }
  json.close_array();
}

void write_placement(JsonWriter& json, const std::optional<Placement>& placement,
                     const Problem& problem) {
  const Graph& graph = problem.graph();
  if (placement && !placement->order.empty()) {
    json.line(1);
    json.key("order");
    json.open_array();
    for (const NodeId node : placement->order) json.value(graph.node(node).name);
    json.close_array();
  }
  if (placement && !placement->replicas.empty()) {
    json.line(1);
    json.key("replicas");
    json.open_object();
    for (const Replica& replica : placement->replicas)
      json.member(problem.cluster().device(replica.device).name,
                  problem.cluster().device(replica.of).name);
    json.close_object();
  }
  json.line(1);
  json.key("placement");
  if (!placement) return json.null();
  json.open_object();
  for (const NodeId node : graph.nodes()) {
    json.line(2);
    json.member(graph.node(node).name, problem.cluster().device(placement->device_of[node]).name);
  }
  json.close_object();
}

void write_curve(JsonWriter& json, const std::vector<CurvePoint>& curve) {
  json.line(1);
  json.key("curve");
  json.open_array();
  for (const CurvePoint& point : curve) {
    json.line(2);
    json.open_object();
    json.member("update", static_cast<std::int64_t>(point.update));
    json.member("evaluations", point.evaluations);
    write_optional(
        json, "best_ms",
        point.best == kForever ? std::nullopt : std::optional(in_milliseconds(point.best)));
    json.member("reward", point.reward);
    json.member("entropy", point.entropy);
    json.member("groups", point.groups);
    json.close_object();
  }
  json.close_array();
}

void write_record(JsonWriter& json, const Result& result, const Problem& problem,
                  const std::string& input, bool with_placement) {
  json.open_object();
  json.member("berth", std::string(version()));
  json.member("input", input);
  json.member("method", result.method);
  json.member("spec", result.spec);
  json.member("objective", to_string(problem.objective()));
  json.member("execution", words_of(problem.model()).execution);
  json.line(1);
  json.member("feasible", result.placement.has_value());
  write_optional(json, "value_ms",
                 result.placement && result.simulation
                     ? std::optional(in_milliseconds(result.simulation->value))
                     : std::nullopt);
  write_optional(
      json, "lower_bound_ms",
      result.lower_bound ? std::optional(in_milliseconds(*result.lower_bound)) : std::nullopt);
  write_optional(json, "gap", result.gap());
  json.member("proven_optimal", result.proven_optimal);
  if (result.contiguous) json.member("contiguous", true);
  if (!result.found_by.empty()) json.member("found_by", result.found_by);
  json.line(1);
  json.member("seconds", result.seconds);
  json.member("evaluations", result.evaluations);
  if (result.measurements > 0) json.member("measurements", result.measurements);
  if (result.measured) json.member("measured_ms", in_milliseconds(*result.measured));
  json.member("seed", result.seed);
  write_devices_of(json, result, problem);
  if (result.simulation && !result.simulation->network.empty())
    write_servers_of(json, *result.simulation, problem);
  json.line(1);
  json.key("warnings");
  json.open_array();
  for (const std::string& warning : result.warnings) json.value(warning);
  json.close_array();
  if (!result.contradictions.empty()) {
    json.line(1);
    json.key("contradictions");
    json.open_array();
    for (const Contradiction& contradiction : result.contradictions) json.value(contradiction.what);
    json.close_array();
  }
  if (!result.reason.empty()) json.member("reason", result.reason);
  if (result.simulation) {
    json.member("crossings", std::uint64_t{result.simulation->crossings});
    json.member("crossing_bytes", result.simulation->crossing_bytes.count);
    json.member("subgraphs", std::uint64_t{result.simulation->subgraphs});
  }
  if (!result.curve.empty()) write_curve(json, result.curve);
  if (with_placement) write_placement(json, result.placement, problem);
  json.close_object();
}

}  // namespace

std::string write_result(const Result& result, const Problem& problem, const std::string& input,
                         bool with_placement) {
  JsonWriter json;
  write_record(json, result, problem, input, with_placement);
  return std::move(json).finish();
}

std::string write_rows(std::span<const ResultRow> rows, bool with_placements) {
  JsonWriter json;
  json.open_object();
  json.key("rows");
  json.open_array();
  for (const ResultRow& row : rows) {
    json.line(0);
    write_record(json, *row.result, *row.problem, row.input, with_placements);
  }
  json.close_array();
  json.close_object();
  return std::move(json).finish();
}

}  // namespace berth
