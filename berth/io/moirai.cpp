#include "berth/io/moirai.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <unordered_map>
#include <vector>

#include <fmt/format.h>

#include "berth/base/error.h"
#include "berth/io/in_file.h"
#include "berth/io/limits.h"

namespace berth {

namespace {

constexpr std::int64_t kLargestId = std::int64_t{1} << 53;

using Matrix = std::vector<double>;  // microseconds, row by row; empty: no time at all

void check_length(const JsonValue& list, std::size_t length, std::size_t expected) {
  if (length != expected)
    list.fail(fmt::format("has {} entries, expected {}, one per device", length, expected));
}

Cluster cluster_from_memory(const JsonValue& memory, std::size_t count) {
  std::vector<Device> devices;
  memory.each([&](const JsonValue& limit) {
    const double bytes = limit.number_between(0, static_cast<double>(kLargestBytes));
    devices.push_back({.name = fmt::format("dev{}", devices.size()),
                       .memory = Bytes{static_cast<std::int64_t>(std::floor(bytes))}});
  });
  check_length(memory, devices.size(), count);
  return Cluster(std::move(devices));
}

class MoiraiReader {
 public:
  explicit MoiraiReader(std::size_t devices) : devices_(devices) {}

  void read_nodes(const JsonValue& nodes) {
    std::size_t count = 0;
    nodes.each([&](const JsonValue&) { ++count; });
    if (count == 0) nodes.fail("is empty, expected at least one node");
    check_counts(nodes.file(), count, devices_);
    times_ = NodeTimes(count, devices_);
    nodes.each([&](const JsonValue& value) { read_node(value); });
    tensors_of_.resize(count);
  }

  void read_edges(const JsonValue& edges) {
    edges.each([&](const JsonValue& value) { read_edge(value); });
  }

  Problem problem(const std::string& file, const std::string& name, Cluster cluster) {
    cluster.set_uncontended();
    Graph graph = in_file(file, [&] { return std::move(builder_).build(); });
    check_total_bytes(file, graph);
    Costs costs{std::move(times_),
                TransferTimes::per_tensor_and_pair(devices_, std::move(transfers_))};
    return in_file(file, [&] {
      return Problem(name, std::move(graph), std::move(cluster), std::move(costs));
    });
  }

 private:
  void read_node(const JsonValue& value) {
    Node node;
    const auto node_id = static_cast<NodeId>(by_id_.size());
    value.fields_among_others(
        required("id",
                 [&](const JsonValue& v) {
                   const std::int64_t id = v.integer_between(-kLargestId, kLargestId);
                   node.name = std::to_string(id);
                   if (!by_id_.emplace(id, node_id).second)
                     v.fail("is the id of an earlier node too");
                 }),
        required("time",
                 [&](const JsonValue& v) {
                   std::size_t device = 0;
                   v.each([&](const JsonValue& time) {
                     if (device < devices_)
                       times_.set(node_id, static_cast<DeviceId>(device), time.milliseconds());
                     ++device;
                   });
                   check_length(v, device, devices_);
                 }),
        required("mem", [&](const JsonValue& v) { node.weights = v.bytes(); }));
    builder_.add_node(std::move(node));
  }

  NodeId node_at(const JsonValue& value) const {
    const auto found = by_id_.find(value.integer_between(-kLargestId, kLargestId));
    if (found == by_id_.end()) value.expected("the id of a node");
    return found->second;
  }

  void read_edge(const JsonValue& value) {
    NodeId source{}, target{};
    Matrix matrix;
    value.fields_among_others(required("src", [&](const JsonValue& v) { source = node_at(v); }),
                              required("dst", [&](const JsonValue& v) { target = node_at(v); }),
                              required("comm", [&](const JsonValue& v) {
                                if (!v.is_null()) matrix = read_matrix(v);
                              }));
    builder_.add_use(tensor_with(value.file(), source, matrix), target);
  }

  Matrix read_matrix(const JsonValue& value) const {
    Matrix matrix(devices_ * devices_, 0.0);
    std::size_t from = 0;
    value.each([&](const JsonValue& row) {
      std::size_t to = 0;
      row.each([&](const JsonValue& entry) {
        const Duration time = entry.milliseconds();
        if (from < devices_ && to < devices_ && from != to)
          matrix[from * devices_ + to] = time.count();
        ++to;
      });
      check_length(row, to, devices_);
      ++from;
    });
    check_length(value, from, devices_);
    const bool costs_nothing = std::ranges::all_of(matrix, [](double time) { return time == 0; });
    return costs_nothing ? Matrix{} : matrix;
  }

  // The tensor of `source` that moves in these times; a new one if there is none.
  TensorId tensor_with(const std::string& file, NodeId source, const Matrix& matrix) {
    auto& tensors = tensors_of_[index(source)];
    const auto [found, is_new] = tensors.try_emplace(matrix);
    if (is_new) {
      const std::size_t begin = transfers_.size(), pairs = devices_ * devices_;
      check_pair_table(file, begin / pairs + 1, devices_);
      found->second = builder_.add_tensor(source, {});
      transfers_.resize(begin + pairs, 0.0);
      std::ranges::copy(matrix, transfers_.begin() + static_cast<std::ptrdiff_t>(begin));
    }
    return found->second;
  }

  std::size_t devices_;
  GraphBuilder builder_;
  NodeTimes times_;
  std::unordered_map<std::int64_t, NodeId> by_id_;
  std::vector<std::map<Matrix, TensorId>> tensors_of_;  // by node
  std::vector<double> transfers_;
};

}  // namespace

Problem moirai_problem(const JsonValue& root, const std::string& name, const ReadOptions& options) {
  std::size_t devices = 0;
  std::optional<JsonValue> memory, nodes, edges;
  root.fields_among_others(
      required("devices",
               [&](const JsonValue& v) {
                 devices = static_cast<std::size_t>(v.integer_between(1, kMostDevices));
               }),
      required("device_memory", [&](const JsonValue& v) { memory = v; }),
      required("nodes", [&](const JsonValue& v) { nodes = v; }),
      required("edges", [&](const JsonValue& v) { edges = v; }));
  Cluster cluster = cluster_from_memory(*memory, devices);
  if (options.cluster) {
    if (options.cluster->device_count() != devices)
      throw Error(fmt::format("{}: has times for {} devices, but {} were given with --devices",
                              root.file(), devices, options.cluster->device_count()));
    cluster = *options.cluster;
  }
  MoiraiReader reader(devices);
  reader.read_nodes(*nodes);
  reader.read_edges(*edges);
  return reader.problem(root.file(), name, std::move(cluster));
}

}  // namespace berth
