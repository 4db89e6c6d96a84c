#include "berth/report/result_json.h"

#include "berth/io/json_writer.h"
#include "berth/modules/build_info.h"
#include "berth/report/summary.h"
#include "berth/sim/crossings.h"

namespace berth {
namespace {

void write_devices(JsonWriter& json, const Result& result, const Problem& problem) {
  json.line(1).array("devices", [&] {
    for (const DeviceId d : problem.devices())
      json.object([&] {
        const Simulation* const simulation = result.simulation ? &*result.simulation : nullptr;
        json.member("name", problem.device_name(d));
        json.milliseconds("load_ms", simulation ? simulation->load[d] : Duration{0});
        json.member("peak_bytes", simulation ? simulation->memory[d].peak() : Bytes{0});
      });
  });
}

// Only where a network between servers counts.
void write_servers(JsonWriter& json, const Simulation& simulation, const Problem& problem) {
  const Servers servers = problem.cluster().servers();
  json.line(1).array("servers", [&] {
    for (std::size_t s = 0; s < servers.count(); ++s)
      json.object([&] {
        json.member("name", servers.names[s]);
        json.array("devices", [&] {
          for (const DeviceId d : problem.devices())
            if (servers.of[d] == s) json.value(problem.device_name(d));
        });
        json.milliseconds("network_ms", simulation.network[s]);
      });
  });
}

void write_placement(JsonWriter& json, const std::optional<Placement>& placement,
                     const Problem& problem) {
  if (!placement) return json.line(1).member("placement", std::nullopt);
  if (!placement->order.empty())
    json.line(1).list("order", placement->order,
                      [&](NodeId node) { return problem.node_name(node); });
  if (!placement->replicas.empty())
    json.line(1).object("replicas", [&] {
      for (const Replica& replica : placement->replicas)
        json.member(problem.device_name(replica.device), problem.device_name(replica.of));
    });
  json.line(1).object("placement", [&] {
    for (const NodeId node : problem.graph().nodes())
      json.line(2).member(problem.node_name(node), problem.device_name(placement->device_of[node]));
  });
}

void write_record(JsonWriter& json, const Result& result, const Problem& problem,
                  const std::string& input, bool with_placement) {
  json.member("berth", version());
  json.member("input", input);
  json.member("method", result.method);
  json.member("spec", result.spec);
  json.member("objective", to_string(problem.objective()));
  json.member("execution", words_of(problem.model()).execution);
  json.line(1).member("feasible", result.placement.has_value());
  std::optional<Duration> value;
  if (result.placement && result.simulation) value = result.simulation->value;
  json.milliseconds("value_ms", value);
  json.milliseconds("lower_bound_ms", result.lower_bound);
  json.member("gap", result.gap());
  json.member("proven_optimal", result.proven_optimal);
  if (result.contiguous) json.member("contiguous", true);
  if (!result.found_by.empty()) json.member("found_by", result.found_by);
  json.line(1).member("seconds", result.seconds);
  json.member("evaluations", result.evaluations);
  if (result.measurements > 0) json.member("measurements", result.measurements);
  if (result.measured) json.milliseconds("measured_ms", result.measured);
  json.member("seed", result.seed);
  write_devices(json, result, problem);
  if (result.simulation && !result.simulation->network.empty())
    write_servers(json, *result.simulation, problem);
  json.line(1).member("warnings", result.warnings);
  if (!result.contradictions.empty())
    json.line(1).list("contradictions", result.contradictions,
                      [](const Contradiction& contradiction) { return contradiction.what; });
  if (!result.reason.empty()) json.member("reason", result.reason);
  if (result.simulation) {
    json.member("crossings", result.simulation->crossings);
    json.member("crossing_bytes", result.simulation->crossing_bytes);
    json.member("subgraphs", result.simulation->subgraphs);
  }
  if (!result.improvements.empty())
    json.line(1).objects("improvements", result.improvements, 2, [&](const Improvement& found) {
      json.member("seconds", found.seconds);
      json.milliseconds("value_ms", found.value);
      json.member("method", found.by);
      json.member("evaluations", found.evaluations);
    });
  if (!result.curve.empty())
    json.line(1).objects("curve", result.curve, 2, [&](const CurvePoint& point) {
      json.member("update", point.update);
      json.member("evaluations", point.evaluations);
      json.milliseconds("best_ms", point.best);
      json.milliseconds("own_ms", point.own);
      for (const auto& [name, number] : point.metrics) json.member(name, number);
    });
  if (with_placement) write_placement(json, result.placement, problem);
}

std::optional<std::string> unless_empty(const std::string& text) {
  return text.empty() ? std::nullopt : std::optional(text);
}

void write_devices_in_full(JsonWriter& json, const Problem& problem, const Placement& placement,
                           const Simulation& simulation) {
  const auto nodes = nodes_per_device(problem, placement);
  json.line(1).objects("devices", problem.devices(), 2, [&](DeviceId id) {
    const MemoryUse& use = simulation.memory[id];
    json.member("name", problem.device_name(id));
    json.member("nodes", nodes[id]);
    json.milliseconds("load_ms", simulation.load[id]);
    json.member("peak_bytes", use.peak());
    json.member("limit_bytes", problem.cluster().device(id).memory);
    json.object("memory", [&] {
      json.member("weights_bytes", use.weights);
      json.member("activation_bytes", use.activations);
      json.member("buffer_bytes", use.buffers);
      json.member("workspace_bytes", use.workspace);
      json.milliseconds("moment_ms", use.moment);
    });
  });
}

void write_crossing(JsonWriter& json, const Problem& problem, const Crossing& crossing) {
  json.member("node", problem.node_name(problem.graph().producer(crossing.tensor)));
  json.member("from", problem.device_name(crossing.from));
  json.member("to", problem.device_name(crossing.to));
  json.member("bytes", crossing.size);
  json.milliseconds("time_ms", crossing.time);
  json.member("users", crossing.uses);
}

void write_explanation(JsonWriter& json, const Problem& problem, const Explanation& e) {
  const auto device_name = [&](DeviceId device) { return problem.device_name(device); };
  json.member("node", problem.node_name(e.node));
  json.member("device", device_name(e.device));
  if (!e.replicas.empty()) json.list("replicas", e.replicas, device_name);
  json.milliseconds("start_ms", e.start);
  json.milliseconds("finish_ms", e.finish);
  json.member("binding", e.binding);
  json.list("unit", e.unit, [&](NodeId member) { return problem.node_name(member); });
  json.line(2).objects("alternatives", e.alternatives, 3, [&](const Alternative& alternative) {
    json.member("device", device_name(alternative.device));
    json.milliseconds("time_ms", alternative.time);
    json.milliseconds("value_ms", alternative.value);
    json.member("obstacle", unless_empty(alternative.obstacle));
  });
  const auto write_neighbour = [&](const Neighbour& neighbour) {
    json.member("node", problem.node_name(neighbour.node));
    json.member("device", device_name(neighbour.device));
    json.member("bytes", neighbour.size);
    json.milliseconds("transfer_ms", neighbour.transfer);
  };
  json.line(2).objects("inputs", e.inputs, 3, write_neighbour);
  json.line(2).objects("outputs", e.outputs, 3, write_neighbour);
}

}  // namespace

std::string write_result(const Result& result, const Problem& problem, const std::string& input) {
  return json_object([&](JsonWriter& json) { write_record(json, result, problem, input, true); });
}

std::string write_rows(std::span<const ComparisonRow> rows, bool with_placements) {
  return json_object([&](JsonWriter& json) {
    json.objects("rows", rows, 0, [&](const ComparisonRow& row) {
      write_record(json, row.result, row.problem, row.input, with_placements);
    });
  });
}

std::string write_simulation(const std::string& input, const Problem& problem,
                             const Placement& placement, const Simulation& simulation,
                             const std::optional<Explanation>& explanation,
                             const std::vector<std::string>& warnings) {
  return json_object([&](JsonWriter& json) {
    json.member("berth", version());
    json.member("input", input);
    json.member("objective", to_string(problem.objective()));
    json.member("execution", words_of(problem.model()).execution);
    json.line(1).member("feasible", simulation.feasible());
    json.milliseconds("value_ms", simulation.value);
    json.member("reason", simulation.broken);
    json.object("bottleneck", [&, busiest = bottleneck(problem, simulation)] {
      json.member("kind", busiest.kind);
      json.member("name", busiest.name);
      json.milliseconds("load_ms", busiest.load);
    });
    json.line(1).member("subgraphs", simulation.subgraphs);
    json.member("crossings", simulation.crossings);
    json.member("crossing_bytes", simulation.crossing_bytes);
    write_devices_in_full(json, problem, placement, simulation);
    json.line(1).objects("channels", simulation.traffic.ids(), 2, [&](ChannelId channel) {
      json.member("name", problem.cluster().channel_name(channel));
      json.milliseconds("busy_ms", simulation.traffic[channel]);
    });
    const std::vector<Crossing> all = crossings(problem, placement);
    const std::span worst = std::span(all).first(std::min(all.size(), kWorstCrossings));
    json.line(1).objects("worst_crossings", worst, 2, [&](const Crossing& crossing) {
      write_crossing(json, problem, crossing);
    });
    json.line(1).member("warnings", warnings);
    if (explanation)
      json.line(1).object("explanation", [&] { write_explanation(json, problem, *explanation); });
  });
}

}  // namespace berth
