#include "berth/io/problem_json.h"

#include <algorithm>
#include <array>
#include <iterator>

#include <fmt/format.h>

#include "berth/base/error.h"
#include "berth/base/listed.h"
#include "berth/cost/clusters.h"
#include "berth/cost/roofline.h"
#include "berth/io/execution_json.h"
#include "berth/io/graph_json.h"
#include "berth/io/in_file.h"
#include "berth/io/json_value.h"
#include "berth/io/json_writer.h"
#include "berth/io/limits.h"
#include "berth/io/parts_json.h"

namespace berth {

namespace {

constexpr std::int64_t kVersion = 1;

// ---- reading ----

Cluster file_cluster(const JsonValue& value) {
  if (!value.is_string()) return cluster_from(value);
  const std::string name(value.text());
  if (const auto cluster = in_file(value.file(), [&] { return built_in_cluster(name); }))
    return *cluster;
  value.expected(fmt::format("devices, or one of: {}", listed(built_in_cluster_names())));
}

TransferSource transfer_source_at(const JsonValue& value) {
  if (value.is_string() && value.text() == "links") return TransferSource::kLinks;
  if (value.is_string() && value.text() == "per-tensor") return TransferSource::kPerTensor;
  if (value.is_string() && value.text() == "per-pair") return TransferSource::kPerTensorAndPair;
  value.expected("links, per-tensor or per-pair");
}

// ---- writing ----

void write_node(JsonWriter& json, const Problem& problem, NodeId id) {
  const Node& node = problem.graph().node(id);
  const Node plain;
  json.open_object();
  json.member("name", node.name);
  json.member_unless("id", node.alias, plain.alias);
  json.member_unless("op", node.op_type, plain.op_type);
  json.member_unless("flops", node.flops, plain.flops);
  json.member_unless("weights", node.weights.count, plain.weights.count);
  json.member_unless("workspace", node.workspace.count, plain.workspace.count);
  json.member_unless("frequency", node.frequency, plain.frequency);
  if (node.pass == Pass::kBackward) json.member("pass", "backward");
  json.member_unless("group", node.group, kNoGroup);
  const std::span<const double> times = problem.costs().times.row(id);
  if (std::ranges::count(times, times[0]) == std::ssize(times))
    json.member("us", times[0]);  // infinite: null
  else
    json.member("us", times);
  json.close_object();
}

void write_transfer_time(JsonWriter& json, const Problem& problem, TensorId tensor) {
  const TransferTimes& transfers = problem.costs().transfers;
  if (transfers.source() == TransferSource::kPerTensor)
    return json.value(transfers.micros()[index(tensor)]);
  const std::size_t devices = problem.device_count();
  json.open_array();
  for (std::size_t from = 0; from < devices; ++from)
    json.value(transfers.micros().subspan((index(tensor) * devices + from) * devices, devices));
  json.close_array();
}

void write_tensor(JsonWriter& json, const Problem& problem, TensorId id) {
  const Graph& graph = problem.graph();
  const Tensor& tensor = graph.tensor(id);
  const bool is_short = tensor.shape.empty() && tensor.element_type.empty();
  const auto key = [&](const char* name) {
    if (!is_short) json.key(name);
  };
  is_short ? json.open_array() : json.open_object();
  key("from");
  json.value(graph.producer(id));
  key("to");
  json.value(graph.consumers(id));
  key("bytes");
  json.value(tensor.size.count);
  if (problem.costs().transfers.source() != TransferSource::kLinks) {
    key("us");
    write_transfer_time(json, problem, id);
  }
  if (!tensor.element_type.empty()) json.member("type", tensor.element_type);
  if (!tensor.shape.empty()) json.member("shape", tensor.shape);
  is_short ? json.close_array() : json.close_object();
}

}  // namespace

Problem berth_problem(const JsonValue& root, const std::string& default_name,
                      const ReadOptions& options) {
  const std::string& file = root.file();
  std::string name = default_name;
  std::optional<JsonValue> cluster_value, nodes, tensors, constraints_value;
  std::optional<TransferSource> source;
  ExecutionModel model;
  root.fields(
      required("berth_problem",
               [&](const JsonValue& v) {
                 if (!v.is_number() || v.number() != static_cast<double>(kVersion))
                   v.expected(fmt::format("{}, the version that this berth reads", kVersion));
               }),
      optional("comment", [](const JsonValue&) {}), optional("name", into(name, &JsonValue::text)),
      optional("model", into(model, execution_from)), optional("cluster", into(cluster_value)),
      required("nodes", into(nodes)), optional("tensors", into(tensors)),
      optional("transfers", into(source, transfer_source_at)),
      optional("constraints", into(constraints_value)));

  if (!cluster_value && !options.cluster)
    throw Error(file + ": has no cluster, expected one in the file or given with --devices");
  const Cluster own = cluster_value ? file_cluster(*cluster_value) : *options.cluster;
  const Cluster wanted = options.cluster.value_or(own);

  GraphReader reader(own);
  reader.read_nodes(*nodes);
  if (tensors) reader.read_tensors(*tensors);
  Graph graph = reader.graph(file);
  Costs costs;
  if (device_names(own) == device_names(wanted)) {
    costs.times = reader.times(file, graph);
    costs.transfers = reader.transfers(file, source);
  } else {
    // The file's times are for other devices.
    check_counts(file, graph.node_count(), wanted.device_count());
    costs.times = in_file(file, [&] { return roofline_times(graph, wanted); });
  }
  Constraints constraints;
  if (constraints_value) constraints = constraints_from(*constraints_value, graph, wanted);
  return in_file(file, [&] {
    return Problem(name, std::move(graph), wanted, std::move(costs), std::move(constraints), model);
  });
}

std::string write_problem(const Problem& problem) {
  JsonWriter json;
  json.open_object();
  json.member("berth_problem", kVersion);
  json.member("name", problem.name());
  json.line(1);
  json.key("model");
  write_execution(json, problem.model());
  json.line(1);
  json.object("cluster", [&] { write_cluster(json, problem.cluster(), 2); });
  if (problem.constraints() != Constraints{}) {
    json.line(1);
    json.key("constraints");
    write_constraints(json, problem.constraints(), problem.cluster());
  }
  json.line(1);
  json.array("nodes", [&] {
    for (const NodeId node : problem.graph().nodes()) {
      json.line(2);
      write_node(json, problem, node);
    }
  });
  const TransferSource source = problem.costs().transfers.source();
  if (source != TransferSource::kLinks) {
    json.line(1);
    json.member("transfers", source == TransferSource::kPerTensor ? "per-tensor" : "per-pair");
  }
  json.line(1);
  json.array("tensors", [&] {
    for (const TensorId tensor : problem.graph().tensors()) {
      json.line(2);
      write_tensor(json, problem, tensor);
    }
  });
  json.close_object();
  return std::move(json).finish();
}

}  // namespace berth
