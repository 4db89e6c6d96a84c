#include "berth/io/graph_json.h"

#include <fmt/format.h>

#include "berth/base/error.h"
#include "berth/cost/roofline.h"
#include "berth/io/in_file.h"
#include "berth/io/limits.h"
#include "berth/io/node_names.h"
#include "berth/io/per_device.h"

namespace berth {

namespace {

Pass pass_at(const JsonValue& value) {
  if (value.is_string() && value.text() == "forward") return Pass::kForward;
  if (value.is_string() && value.text() == "backward") return Pass::kBackward;
  value.expected("forward or backward");
}

}  // namespace

GraphReader::GraphReader(const Cluster& cluster) : cluster_(cluster) {
  for (const DeviceId d : cluster.devices()) device_by_name_.emplace(cluster.device(d).name, d);
}

void GraphReader::read_nodes(const JsonValue& nodes) {
  const std::size_t count = nodes.array_size();
  if (count == 0) nodes.fail("is empty, expected at least one node");
  check_counts(nodes.file(), count, cluster_.device_count());
  times_ = NodeTimes(count, cluster_.device_count(), kForever);
  names_.reserve(count);
  nodes.each([&](const JsonValue& node) { read_node(node); });
}

void GraphReader::read_tensors(const JsonValue& tensors) {
  tensors.each([&](const JsonValue& tensor) {
    tensor.is_array() ? read_short_tensor(tensor) : read_tensor(tensor);
  });
}

Graph GraphReader::graph(const std::string& file) {
  Graph graph = in_file(file, [&] { return std::move(builder_).build(); });
  check_total_bytes(file, graph);
  return graph;
}

NodeTimes GraphReader::times(const std::string& file, const Graph& graph) {
  if (untimed_.empty()) return std::move(times_);
  const NodeTimes estimate = in_file(file, [&] {
    try {
      return roofline_times(graph, cluster_);
    } catch (const Error& error) {
      throw Error(fmt::format("nodes[{}] has no times (us), and {}", index(untimed_.front()),
                              error.what()));
    }
  });
  for (const NodeId node : untimed_)
    for (const DeviceId d : cluster_.devices()) times_.set(node, d, estimate(node, d));
  return std::move(times_);
}

TransferTimes GraphReader::transfers(const std::string& file,
                                     std::optional<TransferSource> source) const {
  const std::size_t count = transfer_times_.size();
  if (!source) {
    source = timed_tensors_ == 0   ? TransferSource::kLinks
             : pair_times_.empty() ? TransferSource::kPerTensor
                                   : TransferSource::kPerTensorAndPair;
  }
  if (*source == TransferSource::kLinks) {
    if (timed_tensors_ > 0)
      throw Error(file + ": tensors have times (us), but transfers is \"links\"");
    return {};
  }
  for (std::size_t t = 0; t < count; ++t)
    if (!transfer_times_[t].given)
      throw Error(fmt::format(
          "{}: tensors[{}] has no time (us), expected one on all tensors or on none", file, t));
  if (*source == TransferSource::kPerTensor) {
    if (!pair_times_.empty())
      throw Error(file +
                  ": tensors have times per pair of devices, but transfers is \"per-tensor\"");
    IdVector<TensorId, Duration> times;
    times.reserve(count);
    for (const TransferTime& time : transfer_times_) times.push_back(Duration{time.micros});
    return TransferTimes::per_tensor(std::move(times));
  }
  return TransferTimes::per_tensor_and_pair(cluster_.device_count(), pair_table(file));
}

void GraphReader::read_node(const JsonValue& value) {
  Node node;
  const auto id = static_cast<NodeId>(names_.size());
  bool timed = false;
  value.fields(optional("name", into(node.name, &JsonValue::text)),
               optional("id", into(node.alias, &JsonValue::text)),
               optional("op", into(node.op_type, &JsonValue::text)),
               optional("us",
                        [&](const JsonValue& v) {
                          timed = true;
                          read_times(v, id);
                        }),
               optional("flops", into(node.flops, number_within(0, 1e30))),
               optional("weights", into(node.weights, &JsonValue::bytes)),
               optional("workspace", into(node.workspace, &JsonValue::bytes)),
               optional("frequency", into(node.frequency, number_within(0, kLargestFrequency))),
               optional("pass", into(node.pass, pass_at)),
               optional("group", into(node.group, group_at)));
  if (!timed) untimed_.push_back(id);
  names_.push_back(node.name.empty() ? std::to_string(index(id)) : node.name);
  builder_.add_node(std::move(node));
}

// A number for all devices, a list in their order, or an object by their names.
void GraphReader::read_times(const JsonValue& value, NodeId node) {
  if (value.is_object()) {
    std::vector<char> seen(cluster_.device_count(), 0);
    value.each_member([&](std::string_view name, const JsonValue& time) {
      const auto device = device_by_name_.find(name);
      if (device == device_by_name_.end()) time.fail("is not a device of the cluster");
      if (seen[index(device->second)]++) time.fail("is given twice");
      times_.set(node, device->second, time.microseconds_or_never());
    });
    return;
  }
  if (!value.is_array()) {
    const Duration time = value.microseconds_or_never();
    for (const DeviceId d : cluster_.devices()) times_.set(node, d, time);
    return;
  }
  each_device(value, cluster_.device_count(), [&](DeviceId d, const JsonValue& time) {
    times_.set(node, d, time.microseconds_or_never());
  });
}

NodeId GraphReader::node_at(const JsonValue& value) {
  if (value.is_number())
    return static_cast<NodeId>(
        value.integer_between(0, static_cast<std::int64_t>(names_.size()) - 1));
  if (!value.is_string()) value.expected("the name or the position of a node");
  if (by_name_.empty())
    for (std::size_t i = 0; i < names_.size(); ++i)
      by_name_.emplace(names_[i], static_cast<NodeId>(i));
  const auto found = by_name_.find(value.text());
  if (found == by_name_.end()) value.expected("the name of a node");
  return found->second;
}

void GraphReader::read_consumers(const JsonValue& value) {
  if (!value.is_array()) return consumers_.push_back(node_at(value));
  value.each([&](const JsonValue& node) { consumers_.push_back(node_at(node)); });
}

// [from, to, bytes, us], the last two optional
void GraphReader::read_short_tensor(const JsonValue& value) {
  NodeId producer{};
  Tensor tensor;
  consumers_.clear();
  TransferTime time;
  if (const std::size_t size = value.array_size(); size < 2 || size > 4)
    value.fail(fmt::format(
        "has {} entries, expected [from, to], [from, to, bytes] or [from, to, bytes, us]", size));
  value.each([&](const JsonValue& part) {
    if (part.position() == 0) producer = node_at(part);
    if (part.position() == 1) read_consumers(part);
    if (part.position() == 2) tensor.size = part.bytes();
    if (part.position() == 3) time = read_transfer_time(part);
  });
  add_tensor(producer, std::move(tensor), time);
}

void GraphReader::read_tensor(const JsonValue& value) {
  NodeId producer{};
  Tensor tensor;
  consumers_.clear();
  TransferTime time;
  value.fields(required("from", [&](const JsonValue& v) { producer = node_at(v); }),
               optional("to", [&](const JsonValue& v) { read_consumers(v); }),
               optional("bytes", into(tensor.size, &JsonValue::bytes)),
               optional("us", [&](const JsonValue& v) { time = read_transfer_time(v); }),
               optional("type", into(tensor.element_type, &JsonValue::text)),
               optional("shape", [&](const JsonValue& v) {
                 v.each([&](const JsonValue& extent) {
                   tensor.shape.push_back(extent.integer_between(-1, kLargestBytes));
                 });
               }));
  add_tensor(producer, std::move(tensor), time);
}

void GraphReader::add_tensor(NodeId producer, Tensor tensor, TransferTime time) {
  const TensorId id = builder_.add_tensor(producer, std::move(tensor));
  for (const NodeId consumer : consumers_) builder_.add_use(id, consumer);
  timed_tensors_ += time.given ? 1 : 0;
  transfer_times_.push_back(time);
}

// A number for all pairs of devices, or a matrix [from][to].
GraphReader::TransferTime GraphReader::read_transfer_time(const JsonValue& value) {
  TransferTime time{.given = true};
  if (!value.is_array()) {
    time.micros = value.microseconds().count();
    return time;
  }
  const std::size_t count = cluster_.device_count();
  check_pair_table(value.file(), pair_times_.size() / (count * count) + 1, count);
  time.per_pair = true;
  time.pair_begin = pair_times_.size();
  each_pair(value, count, [&](DeviceId, DeviceId, const JsonValue& entry) {
    pair_times_.push_back(entry.microseconds().count());
  });
  return time;
}

std::vector<double> GraphReader::pair_table(const std::string& file) const {
  const std::size_t devices = cluster_.device_count(), pairs = devices * devices;
  check_pair_table(file, transfer_times_.size(), devices);
  std::vector<double> table(transfer_times_.size() * pairs, 0.0);
  for (std::size_t t = 0; t < transfer_times_.size(); ++t)
    for (std::size_t p = 0; p < pairs; ++p) {
      const TransferTime& time = transfer_times_[t];
      const bool same_device = p / devices == p % devices;
      table[t * pairs + p] = time.per_pair ? pair_times_[time.pair_begin + p]
                             : same_device ? 0.0
                                           : time.micros;
    }
  return table;
}

}  // namespace berth
