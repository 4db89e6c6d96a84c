#include "berth/io/dnn_partitioning.h"

#include <algorithm>
#include <cmath>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include <fmt/format.h>

#include "berth/base/error.h"
#include "berth/io/in_file.h"
#include "berth/io/limits.h"

namespace berth {

namespace {

constexpr std::int64_t kLargestId = std::int64_t{1} << 53;
constexpr double kCostTolerance = 1e-6;

struct FileNode {
  std::int64_t id = 0;
  Node node;
  Duration on_cpu{0}, on_accelerator{0};
};

struct FileEdge {
  NodeId source{}, target{};
  Duration cost{0};
  Bytes size{};
};

FileNode node_from(const JsonValue& value) {
  FileNode node;
  bool supported = true;
  value.fields_among_others(
      required("id",
               [&](const JsonValue& v) { node.id = v.integer_between(-kLargestId, kLargestId); }),
      optional("name",
               [&](const JsonValue& v) {
                 if (!v.is_null()) node.node.name = v.text();
               }),
      optional("supportedOnFpga", [&](const JsonValue& v) { supported = v.flag(); }),
      required("cpuLatency", [&](const JsonValue& v) { node.on_cpu = v.milliseconds(); }),
      required("fpgaLatency", [&](const JsonValue& v) { node.on_accelerator = v.milliseconds(); }),
      optional("isBackwardNode",
               [&](const JsonValue& v) {
                 node.node.pass = v.flag() ? Pass::kBackward : Pass::kForward;
               }),
      optional("colorClass",
               [&](const JsonValue& v) {
                 if (!v.is_null())
                   node.node.group =
                       static_cast<std::int32_t>(v.integer_between(0, (std::int64_t{1} << 31) - 1));
               }),
      optional("size", [&](const JsonValue& v) { node.node.weights = v.bytes(); }));
  if (!supported) node.on_accelerator = kForever;
  return node;
}

std::vector<FileNode> nodes_from(const JsonValue& value) {
  std::vector<FileNode> nodes;
  std::unordered_set<std::int64_t> ids;
  value.each([&](const JsonValue& entry) {
    nodes.push_back(node_from(entry));
    if (!ids.insert(nodes.back().id).second)
      entry.fail(
          fmt::format("has the id {} of an earlier node, expected unique ids", nodes.back().id));
  });
  if (nodes.empty()) value.fail("is empty, expected at least one node");
  return nodes;
}

// Names if they tell all nodes apart, otherwise ids.
void settle_names(std::vector<FileNode>& nodes) {
  std::unordered_set<std::string_view> names;
  const bool usable = std::ranges::all_of(nodes, [&](const FileNode& node) {
    return !node.node.name.empty() && names.insert(node.node.name).second;
  });
  names.clear();
  for (FileNode& node : nodes) {
    const std::string id = std::to_string(node.id);
    if (!usable) node.node.name = id;
    if (node.node.name != id) node.node.alias = id;
  }
}

Cluster cluster_for(std::int64_t accelerators, std::int64_t cpus, Bytes memory) {
  std::vector<Device> devices;
  for (std::int64_t i = 0; i < accelerators; ++i)
    devices.push_back(
        {.name = fmt::format("acc{}", i), .kind = DeviceKind::kAccelerator, .memory = memory});
  for (std::int64_t i = 0; i < cpus; ++i)
    devices.push_back({.name = fmt::format("cpu{}", i), .kind = DeviceKind::kCpu, .memory = {}});
  return Cluster(std::move(devices));
}

std::vector<FileEdge> edges_from(const JsonValue& value,
                                 const std::unordered_map<std::int64_t, NodeId>& by_id) {
  std::vector<FileEdge> edges;
  const auto node_at = [&](const JsonValue& v) {
    const auto found = by_id.find(v.integer_between(-kLargestId, kLargestId));
    if (found == by_id.end()) v.expected("the id of a node");
    return found->second;
  };
  value.each([&](const JsonValue& entry) {
    FileEdge edge;
    entry.fields_among_others(
        required("sourceId", [&](const JsonValue& v) { edge.source = node_at(v); }),
        required("destId", [&](const JsonValue& v) { edge.target = node_at(v); }),
        required("cost", [&](const JsonValue& v) { edge.cost = v.milliseconds(); }),
        optional("size", [&](const JsonValue& v) { edge.size = v.bytes(); }));
    edges.push_back(edge);
  });
  return edges;
}

// Edges of one source whose costs agree become one tensor. Returns the cost of each tensor.
IdVector<TensorId, Duration> add_tensors(std::vector<FileEdge> edges, GraphBuilder& builder) {
  std::ranges::stable_sort(edges, [](const FileEdge& a, const FileEdge& b) {
    return a.source != b.source ? a.source < b.source : a.cost < b.cost;
  });
  IdVector<TensorId, Duration> costs;
  for (std::size_t i = 0; i < edges.size();) {
    const FileEdge& first = edges[i];
    const Duration highest = first.cost * (1 + kCostTolerance);
    std::size_t end = i;
    Bytes size{};
    for (; end < edges.size() && edges[end].source == first.source && edges[end].cost <= highest;
         ++end)
      size = std::max(size, edges[end].size);
    const TensorId tensor =
        builder.add_tensor(first.source, {.size = size, .shape = {}, .element_type = {}});
    for (; i < end; ++i) builder.add_use(tensor, edges[i].target);
    costs.push_back(first.cost);
  }
  return costs;
}

}  // namespace

Problem dnn_partitioning_problem(const JsonValue& root, const std::string& name,
                                 const ReadOptions& options) {
  const std::string& file = root.file();
  std::int64_t accelerators = 0, cpus = 0;
  Bytes memory{};
  std::vector<FileNode> nodes;
  std::optional<JsonValue> edges_value;
  root.fields_among_others(
      required("maxFPGAs",
               [&](const JsonValue& v) { accelerators = v.integer_between(0, kMostDevices); }),
      required("maxCPUs", [&](const JsonValue& v) { cpus = v.integer_between(0, kMostDevices); }),
      required("maxSizePerFPGA",
               [&](const JsonValue& v) {
                 memory = Bytes{static_cast<std::int64_t>(
                     std::floor(v.number_between(0, static_cast<double>(kLargestBytes))))};
               }),
      required("nodes", [&](const JsonValue& v) { nodes = nodes_from(v); }),
      required("edges", [&](const JsonValue& v) { edges_value = v; }));
  if (accelerators + cpus == 0 && !options.cluster)
    throw Error(file + ": maxFPGAs and maxCPUs are both 0, expected at least one device");
  check_counts(file, nodes.size(), static_cast<std::size_t>(accelerators + cpus));
  const Cluster cluster =
      options.cluster ? *options.cluster : cluster_for(accelerators, cpus, memory);
  check_counts(file, nodes.size(), cluster.device_count());

  settle_names(nodes);
  GraphBuilder builder;
  NodeTimes times(nodes.size(), cluster.device_count());
  std::unordered_map<std::int64_t, NodeId> by_id;
  for (FileNode& node : nodes) {
    const NodeId id = builder.add_node(std::move(node.node));
    by_id.emplace(node.id, id);
    for (const DeviceId d : cluster.devices())
      times.set(id, d, cluster.device(d).is_host() ? node.on_cpu : node.on_accelerator);
  }
  IdVector<TensorId, Duration> costs = add_tensors(edges_from(*edges_value, by_id), builder);
  Graph graph = in_file(file, [&] { return std::move(builder).build(); });
  check_total_bytes(file, graph);
  const ExecutionModel model = MaxLoad{.route = Route::kHost};
  return in_file(file, [&] {
    return Problem(name, std::move(graph), cluster,
                   {std::move(times), TransferTimes::per_tensor(std::move(costs))}, {}, model);
  });
}

}  // namespace berth
