#include "berth/io/problem_json.h"

#include "berth/cost/clusters.h"
#include "berth/io/constraints_json.h"
#include "berth/io/devices_json.h"
#include "berth/io/execution_json.h"
#include "berth/io/graph_json.h"
#include "berth/io/limits.h"

namespace berth {
namespace {

constexpr std::int64_t kVersion = 1;

// ---- reading ----

Cluster file_cluster(const JsonValue& value) {
  if (!value.is_string()) return cluster_from(value);
  const std::string name(value.text());
  if (const auto cluster = in_file(value.file(), [&] { return built_in_cluster(name); }))
    return *cluster;
  value.expected("devices, or one of: {}", listed(built_in_cluster_names()));
}

// ---- writing ----

void write_node(JsonWriter& json, const Problem& problem, NodeId id) {
  const Node& node = problem.graph().node(id);
  json.member("name", node.name);
  json.member_unless("id", node.alias, std::string());
  json.member_unless("op", node.op_type, std::string());
  json.member_unless("flops", node.flops, 0.0);
  json.member_unless("weights", node.weights, Bytes{0});
  json.member_unless("workspace", node.workspace, Bytes{0});
  json.member_unless("frequency", node.frequency, 1.0);
  if (node.pass == Pass::kBackward) json.member("pass", "backward");
  json.member_unless("group", node.group, kNoGroup);
  const std::span<const double> times = problem.costs().times.row(id);
  if (std::ranges::count(times, times[0]) == std::ssize(times))
    json.member("us", times[0]);  // infinite: null
  else
    json.member("us", times);
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
  const bool is_value = tensor.role == TensorRole::kValue;
  const bool is_short = tensor.shape.empty() && tensor.element_type.empty() && is_value;
  const auto key = [&](const char* name) {
    if (!is_short) json.key(name);
  };
  is_short ? json.open_array() : json.open_object();
  key("from");
  json.value(graph.producer(id));
  key("to");
  json.value(graph.consumers(id));
  key("bytes");
  json.value(tensor.size);
  if (problem.costs().transfers.source() != TransferSource::kLinks) {
    key("us");
    write_transfer_time(json, problem, id);
  }
  json.member_unless("type", tensor.element_type, std::string());
  if (!is_value) json.member("role", to_string(tensor.role));
  if (!tensor.shape.empty()) json.member("shape", tensor.shape);
  is_short ? json.close_array() : json.close_object();
}

}  // namespace

Problem berth_problem(const JsonValue& root, const std::string& default_name,
                      const ReadOptions& options) {
  std::string name = default_name;
  std::optional<JsonValue> cluster, constraints;
  GraphValues values;
  ExecutionModel model;
  root.fields(required("berth_problem",
                       [&](const JsonValue& v) {
                         if (!v.is_number() || v.number() != static_cast<double>(kVersion))
                           v.expected("{}, the version that this berth reads", kVersion);
                       }),
              optional("comment", [](const JsonValue&) {}),
              optional("name", into(name, &JsonValue::text)),
              optional("model", into(model, execution_from)), optional("cluster", into(cluster)),
              required("nodes", into(values.nodes)), optional("tensors", into(values.tensors)),
              optional("transfers", into(values.transfers, word_at<TransferSource>)),
              optional("constraints", into(constraints)));

  if (!cluster && !options.cluster)
    fail("{}: has no cluster, expected one in the file or given with --devices", root.file());
  const Cluster own = cluster ? file_cluster(*cluster) : *options.cluster;
  const Cluster wanted = options.cluster.value_or(own);
  auto [graph, costs] = graph_from(values, own, wanted);
  const Constraints rules =
      constraints ? constraints_from(*constraints, graph, wanted) : Constraints{};
  return in_file(root.file(), [&, &graph = graph, &costs = costs] {
    return Problem(name, std::move(graph), wanted, std::move(costs), rules, model);
  });
}

std::string write_problem(const Problem& problem) {
  return json_object([&](JsonWriter& json) {
    json.member("berth_problem", kVersion);
    json.member("name", problem.name());
    json.line(1).object("model", [&] { write_execution(json, problem.model()); });
    json.line(1).object("cluster", [&] { write_cluster(json, problem.cluster(), 2); });
    if (problem.constraints() != Constraints{})
      json.line(1).object("constraints", [&] {
        write_constraints(json, problem.constraints(), problem.cluster());
      });
    json.line(1).objects("nodes", problem.graph().nodes(), 2,
                         [&](NodeId node) { write_node(json, problem, node); });
    const TransferSource source = problem.costs().transfers.source();
    if (source != TransferSource::kLinks) json.line(1).member("transfers", to_string(source));
    json.line(1).array("tensors", [&] {
      for (const TensorId tensor : problem.graph().tensors())
        write_tensor(json.line(2), problem, tensor);
    });
  });
}

}  // namespace berth
