#include "berth/io/dnn_partitioning.h"

#include <unordered_set>

#include <fmt/format.h>

#include "berth/io/limits.h"
#include "berth/io/node_names.h"

namespace berth {
namespace {

constexpr double kCostTolerance = 1e-6;

struct FileNode : Node {  // its alias is its id
  Duration on_cpu{0}, on_accelerator{0};
};

struct FileEdge {
  NodeId source{}, target{};
  Duration cost{0};
  Bytes size{};
};

FileNode node_from(const JsonValue& value, NodeNumbers& numbers) {
  FileNode node;
  bool supported = true, backward = false;
  value.fields_among_others(
      required("id", [&](const JsonValue& v) { node.alias = std::to_string(numbers.add(v)); }),
      optional("name", unless_null(into(node.name, &JsonValue::text))),
      optional("supportedOnFpga", into(supported, &JsonValue::flag)),
      required("cpuLatency", into(node.on_cpu, &JsonValue::milliseconds)),
      required("fpgaLatency", into(node.on_accelerator, &JsonValue::milliseconds)),
      optional("isBackwardNode", into(backward, &JsonValue::flag)),
      optional("colorClass", unless_null(into(node.group, group_at))),
      optional("size", into(node.weights, &JsonValue::bytes)));
  if (!supported) node.on_accelerator = kForever;
  if (backward) node.pass = Pass::kBackward;
  return node;
}

// Names if they tell all nodes apart, otherwise ids.
void settle_names(std::vector<FileNode>& nodes) {
  std::unordered_set<std::string_view> names;
  const bool usable = std::ranges::all_of(nodes, [&](const FileNode& node) {
    return !node.name.empty() && names.insert(node.name).second;
  });
  for (FileNode& node : nodes) {
    if (!usable) node.name = node.alias;
    if (node.name == node.alias) node.alias.clear();
  }
}

Cluster cluster_for(std::int64_t accelerators, std::int64_t cpus, Bytes memory) {
  std::vector<Device> devices;
  for (std::int64_t i = 0; i < accelerators; ++i)
    devices.push_back(
        {.name = fmt::format("acc{}", i), .kind = DeviceKind::kAccelerator, .memory = memory});
  for (std::int64_t i = 0; i < cpus; ++i)
    devices.push_back({.name = fmt::format("cpu{}", i), .kind = DeviceKind::kCpu});
  return Cluster(std::move(devices));
}

std::vector<FileEdge> edges_from(const JsonValue& value, const NodeNumbers& numbers) {
  std::vector<FileEdge> edges;
  value.each([&](const JsonValue& entry) {
    FileEdge edge;
    entry.fields_among_others(
        required("sourceId", [&](const JsonValue& v) { edge.source = numbers.at(v); }),
        required("destId", [&](const JsonValue& v) { edge.target = numbers.at(v); }),
        required("cost", into(edge.cost, &JsonValue::milliseconds)),
        optional("size", into(edge.size, &JsonValue::bytes)));
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
    const TensorId tensor = builder.add_tensor(first.source, {.size = size});
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
  NodeNumbers numbers;
  std::vector<FileNode> nodes;
  std::optional<JsonValue> edges;
  root.fields_among_others(
      required("maxFPGAs", into(accelerators, integer_within(0, kMostDevices))),
      required("maxCPUs", into(cpus, integer_within(0, kMostDevices))),
      required("maxSizePerFPGA", into(memory, &JsonValue::bytes_rounded_down)),
      required("nodes",
               [&](const JsonValue& v) {
                 v.each([&](const JsonValue& node) { nodes.push_back(node_from(node, numbers)); });
                 if (nodes.empty()) v.fail("is empty, expected at least one node");
               }),
      required("edges", into(edges)));
  if (accelerators + cpus == 0 && !options.cluster)
    fail("{}: maxFPGAs and maxCPUs are both 0, expected at least one device", file);
  check_counts(file, nodes.size(), static_cast<std::size_t>(accelerators + cpus));
  const Cluster cluster =
      options.cluster ? *options.cluster : cluster_for(accelerators, cpus, memory);
  check_counts(file, nodes.size(), cluster.device_count());

  settle_names(nodes);
  GraphBuilder builder;
  NodeTimes times(nodes.size(), cluster.device_count());
  for (const FileNode& node : nodes) {
    const NodeId id = builder.add_node(node);
    for (const DeviceId d : cluster.devices())
      times.set(id, d, cluster.device(d).is_host() ? node.on_cpu : node.on_accelerator);
  }
  const IdVector<TensorId, Duration> costs = add_tensors(edges_from(*edges, numbers), builder);
  return checked_problem(file, name, std::move(builder), cluster,
                         {std::move(times), TransferTimes::per_tensor(costs)},
                         MaxLoad{.route = Route::kHost});
}

}  // namespace berth
