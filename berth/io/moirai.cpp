#include "berth/io/moirai.h"

#include <map>

#include <fmt/format.h>

#include "berth/io/limits.h"
#include "berth/io/node_names.h"

namespace berth {
namespace {

using Matrix = std::vector<double>;  // microseconds, row by row; empty: no time at all

Cluster cluster_from_memory(const JsonValue& memory, std::size_t count) {
  std::vector<Device> devices;
  each_device(memory, count, [&](DeviceId device, const JsonValue& limit) {
    devices.push_back(
        {.name = fmt::format("dev{}", index(device)), .memory = limit.bytes_rounded_down()});
  });
  return Cluster(std::move(devices));
}

class MoiraiReader {
 public:
  explicit MoiraiReader(std::size_t devices) : devices_(devices) {}

  void read_nodes(const JsonValue& nodes) {
    const std::size_t count = nodes.array_size();
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
    return checked_problem(
        file, name, std::move(builder_), cluster,
        {std::move(times_), TransferTimes::per_tensor_and_pair(devices_, std::move(transfers_))});
  }

 private:
  void read_node(const JsonValue& value) {
    Node node;
    const auto id = static_cast<NodeId>(value.position());
    value.fields_among_others(
        required("id", [&](const JsonValue& v) { node.name = std::to_string(numbers_.add(v)); }),
        required("time",
                 [&](const JsonValue& v) {
                   each_device(v, devices_, [&](DeviceId device, const JsonValue& time) {
                     times_.set(id, device, time.milliseconds());
                   });
                 }),
        required("mem", into(node.weights, &JsonValue::bytes)));
    builder_.add_node(std::move(node));
  }

  void read_edge(const JsonValue& value) {
    NodeId source{}, target{};
    Matrix matrix;
    value.fields_among_others(
        required("src", [&](const JsonValue& v) { source = numbers_.at(v); }),
        required("dst", [&](const JsonValue& v) { target = numbers_.at(v); }),
        required("comm", unless_null([&](const JsonValue& v) { matrix = read_matrix(v); })));
    builder_.add_use(tensor_with(value.file(), source, matrix), target);
  }

  Matrix read_matrix(const JsonValue& value) const {
    Matrix matrix(devices_ * devices_, 0.0);
    each_pair(value, devices_, [&](DeviceId from, DeviceId to, const JsonValue& entry) {
      const Duration time = entry.milliseconds();
      if (from != to) matrix[index(from) * devices_ + index(to)] = time.count();
    });
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
  NodeNumbers numbers_;
  std::vector<std::map<Matrix, TensorId>> tensors_of_;  // by node
  std::vector<double> transfers_;
};

}  // namespace

Problem moirai_problem(const JsonValue& root, const std::string& name, const ReadOptions& options) {
  std::size_t devices = 0;
  std::optional<JsonValue> memory, nodes, edges;
  root.fields_among_others(required("devices", into(devices, integer_within(1, kMostDevices))),
                           required("device_memory", into(memory)), required("nodes", into(nodes)),
                           required("edges", into(edges)));
  Cluster cluster = cluster_from_memory(*memory, devices);
  if (options.cluster) {
    if (options.cluster->device_count() != devices)
      fail("{}: has times for {} devices, but {} were given with --devices", root.file(), devices,
           options.cluster->device_count());
    cluster = *options.cluster;
  }
  MoiraiReader reader(devices);
  reader.read_nodes(*nodes);
  reader.read_edges(*edges);
  return reader.problem(root.file(), name, std::move(cluster));
}

}  // namespace berth
