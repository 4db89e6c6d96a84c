#include "berth/report/result_json.h"

#include "berth/io/json_writer.h"
#include "berth/modules/build_info.h"

namespace berth {

namespace {

std::optional<double> in_milliseconds(const std::optional<Duration>& time) {
  return time ? std::optional(berth::in_milliseconds(*time)) : std::nullopt;
}

void write_devices_of(JsonWriter& json, const Result& result, const Problem& problem) {
  json.line(1);
  json.array("devices", [&] {
    for (const DeviceId d : problem.devices()) {
      const Simulation* const simulation = result.simulation ? &*result.simulation : nullptr;
      json.open_object();
      json.member("name", problem.cluster().device(d).name);
      json.member("load_ms", simulation ? berth::in_milliseconds(simulation->load[d]) : 0);
      json.member("peak_bytes", simulation ? simulation->memory[d].peak().count : 0);
      json.close_object();
    }
  });
}

// Only where a network between servers counts.
void write_servers_of(JsonWriter& json, const Simulation& simulation, const Problem& problem) {
  const Servers servers = problem.cluster().servers();
  json.line(1);
  json.array("servers", [&] {
    for (std::size_t s = 0; s < servers.count(); ++s) {
      json.open_object();
      json.member("name", servers.names[s]);
      json.array("devices", [&] {
        for (const DeviceId d : problem.devices())
          if (servers.of[d] == s) json.value(problem.cluster().device(d).name);
      });
      json.member("network_ms", berth::in_milliseconds(simulation.network[s]));
      json.close_object();
    }
  });
}

void write_placement(JsonWriter& json, const std::optional<Placement>& placement,
                     const Problem& problem) {
  const Graph& graph = problem.graph();
  const auto device_name = [&](DeviceId d) { return problem.cluster().device(d).name; };
  if (placement && !placement->order.empty()) {
    json.line(1);
    json.array("order", [&] {
      for (const NodeId node : placement->order) json.value(graph.node(node).name);
    });
  }
  if (placement && !placement->replicas.empty()) {
    json.line(1);
    json.object("replicas", [&] {
      for (const Replica& replica : placement->replicas)
        json.member(device_name(replica.device), device_name(replica.of));
    });
  }
  json.line(1);
  if (!placement) return json.member("placement", std::optional<double>{});
  json.object("placement", [&] {
    for (const NodeId node : graph.nodes()) {
      json.line(2);
      json.member(graph.node(node).name, device_name(placement->device_of[node]));
    }
  });
}

void write_curve(JsonWriter& json, const Curve& curve) {
  json.line(1);
  json.array("curve", [&] {
    for (const CurvePoint& point : curve) {
      json.line(2);
      json.open_object();
      json.member("update", point.update);
      json.member("evaluations", point.evaluations);
      json.member("best_ms", berth::in_milliseconds(point.best));  // kForever: null
      for (const auto& [name, value] : point.metrics) json.member(name, value);
      json.close_object();
    }
  });
}

void write_record(JsonWriter& json, const Result& result, const Problem& problem,
                  const std::string& input, bool with_placement) {
  json.open_object();
  json.member("berth", version());
  json.member("input", input);
  json.member("method", result.method);
  json.member("spec", result.spec);
  json.member("objective", to_string(problem.objective()));
  json.member("execution", words_of(problem.model()).execution);
  json.line(1);
  json.member("feasible", result.placement.has_value());
  std::optional<Duration> value;
  if (result.placement && result.simulation) value = result.simulation->value;
  json.member("value_ms", in_milliseconds(value));
  json.member("lower_bound_ms", in_milliseconds(result.lower_bound));
  json.member("gap", result.gap());
  json.member("proven_optimal", result.proven_optimal);
  if (result.contiguous) json.member("contiguous", true);
  if (!result.found_by.empty()) json.member("found_by", result.found_by);
  json.line(1);
  json.member("seconds", result.seconds);
  json.member("evaluations", result.evaluations);
  if (result.measurements > 0) json.member("measurements", result.measurements);
  if (result.measured) json.member("measured_ms", in_milliseconds(result.measured));
  json.member("seed", result.seed);
  write_devices_of(json, result, problem);
  if (result.simulation && !result.simulation->network.empty())
    write_servers_of(json, *result.simulation, problem);
  json.line(1);
  json.member("warnings", result.warnings);
  if (!result.contradictions.empty()) {
    json.line(1);
    json.array("contradictions", [&] {
      for (const Contradiction& contradiction : result.contradictions)
        json.value(contradiction.what);
    });
  }
  if (!result.reason.empty()) json.member("reason", result.reason);
  if (result.simulation) {
    json.member("crossings", result.simulation->crossings);
    json.member("crossing_bytes", result.simulation->crossing_bytes.count);
    json.member("subgraphs", result.simulation->subgraphs);
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
  json.array("rows", [&] {
    for (const ResultRow& row : rows) {
      json.line(0);
      write_record(json, *row.result, *row.problem, row.input, with_placements);
    }
  });
  json.close_object();
  return std::move(json).finish();
}

}  // namespace berth
