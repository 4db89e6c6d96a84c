#include "berth/io/problem_json.h"

#include <algorithm>
#include <array>
#include <iterator>

#include <fmt/format.h>

#include "berth/base/error.h"
#include "berth/base/listed.h"
#include "berth/cost/clusters.h"
#include "berth/cost/roofline.h"
#include "berth/io/graph_json.h"
#include "berth/io/in_file.h"
#include "berth/io/json_value.h"
#include "berth/io/json_writer.h"
#include "berth/io/limits.h"
#include "berth/io/parts_json.h"

namespace berth {

namespace {

constexpr std::int64_t kVersion = 1;

template <class Enum, std::size_t N>
Enum word_at(const JsonValue& value, const std::array<Enum, N>& known) {
  std::string words;
  for (const Enum candidate : known) {
    if (value.is_string() && value.text() == to_string(candidate)) return candidate;
    words += (words.empty() ? "" : ", ") + std::string(to_string(candidate));
  }
  value.expected("one of: " + words);
}

constexpr std::array kExecutions{Execution::kConcurrent, Execution::kSequential, Execution::kCall,
                                 Execution::kPipeline, Execution::kPieces};
constexpr std::array kObjectives{Objective::kLatency, Objective::kThroughput};
constexpr std::array kOverlaps{Overlap::kSum, Overlap::kMax, Overlap::kDuplex};
constexpr std::array kSchedules{TrainingSchedule::k1F1B, TrainingSchedule::kGPipe};

ExecutionModel model_from(const JsonValue& value) {
  ExecutionModel model;
  value.fields(
      optional("execution", [&](const JsonValue& v) { model.execution = word_at(v, kExecutions); }),
      optional("objective", [&](const JsonValue& v) { model.objective = word_at(v, kObjectives); }),
      optional("subgraph_overhead_us",
               [&](const JsonValue& v) { model.subgraph_overhead = v.microseconds(); }),
      optional("overlap", [&](const JsonValue& v) { model.overlap = word_at(v, kOverlaps); }),
      optional("training_schedule",
               [&](const JsonValue& v) { model.training = word_at(v, kSchedules); }),
      optional("microbatches",
               [&](const JsonValue& v) {
                 model.microbatches = static_cast<int>(v.integer_between(1, 1024));
               }),
      optional("pieces",
               [&](const JsonValue& v) {
                 model.pieces = static_cast<int>(v.integer_between(1, 1 << 20));
               }),
      optional("contiguous", [&](const JsonValue& v) { model.contiguous = v.boolean(); }),
      optional("max_subgraphs",
               [&](const JsonValue& v) {
                 model.max_subgraphs = static_cast<int>(v.integer_between(0, 1 << 30));
               }),
      optional("sync_bytes_per_second",
               [&](const JsonValue& v) {
                 model.sync_bytes_per_second = v.number();
                 if (model.sync_bytes_per_second < 0) v.expected("a number of at least 0");
               }),
      optional("contention",
               [&](const JsonValue& v) { model.contention = v.number_between(0, 1); }));
  return model;
}

void write_model(JsonWriter& json, const ExecutionModel& model) {
  const ExecutionModel plain;
  json.open_object();
  json.member("execution", to_string(model.execution));
  json.member("objective", to_string(model.objective));
  if (model.subgraph_overhead != plain.subgraph_overhead)
    json.member("subgraph_overhead_us", model.subgraph_overhead.count());
  if (model.overlap != plain.overlap) json.member("overlap", to_string(model.overlap));
  if (model.training != plain.training) json.member("training_schedule", to_string(model.training));
  if (model.microbatches != plain.microbatches)
    json.member("microbatches", std::int64_t{model.microbatches});
  if (model.pieces != plain.pieces) json.member("pieces", std::int64_t{model.pieces});
  if (model.contiguous) json.member("contiguous", true);
  if (model.max_subgraphs != plain.max_subgraphs)
    json.member("max_subgraphs", std::int64_t{model.max_subgraphs});
  if (model.sync_bytes_per_second != plain.sync_bytes_per_second)
    json.member("sync_bytes_per_second", model.sync_bytes_per_second);
  if (model.contention != plain.contention) json.member("contention", model.contention);
  json.close_object();
}

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
      optional("model", into(model, model_from)), optional("cluster", into(cluster_value)),
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
  write_model(json, problem.model());
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
