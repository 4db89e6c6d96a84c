#include "berth/io/graph_json.h"

#include "berth/cost/clusters.h"
#include "berth/cost/roofline.h"
#include "berth/io/limits.h"
#include "berth/io/node_names.h"

namespace berth {
namespace {

// Reads nodes, then tensors. The cluster is borrowed.
class GraphReader {
 public:
  explicit GraphReader(const Cluster& cluster) : cluster_(cluster) {
    for (const DeviceId d : cluster.devices()) device_by_name_.emplace(cluster.device(d).name, d);
  }

  void read_nodes(const JsonValue& nodes) {
    const std::size_t count = nodes.array_size();
    if (count == 0) nodes.fail("is empty, expected at least one node");
    check_counts(nodes.file(), count, cluster_.device_count());
    times_ = NodeTimes(count, cluster_.device_count(), kForever);
    names_.reserve(count);
    nodes.each([&](const JsonValue& node) { read_node(node); });
  }

  void read_tensors(const JsonValue& tensors) {
    tensors.each([&](const JsonValue& value) {
      TensorEntry entry = value.is_array() ? short_tensor_at(value) : tensor_at(value);
      const TensorId id = builder_.add_tensor(entry.producer, std::move(entry.tensor));
      for (const NodeId consumer : entry.consumers) builder_.add_use(id, consumer);
      timed_tensors_ += entry.time.given ? 1 : 0;
      transfer_times_.push_back(entry.time);
    });
  }

  // Each once, in this order, after reading.
  Graph graph(const std::string& file) { return checked_graph(file, std::move(builder_)); }

  NodeTimes times(const std::string& file, const Graph& graph) {
    if (untimed_.empty()) return std::move(times_);
    const NodeTimes estimate = estimated_times(file, graph);
    for (const NodeId node : untimed_)
      for (const DeviceId d : cluster_.devices()) times_.set(node, d, estimate(node, d));
    return std::move(times_);
  }

  TransferTimes transfers(const std::string& file, std::optional<TransferSource> said) const {
    const TransferSource source =
        said.value_or(timed_tensors_ == 0   ? TransferSource::kLinks
                      : pair_times_.empty() ? TransferSource::kPerTensor
                                            : TransferSource::kPerTensorAndPair);
    if (source == TransferSource::kLinks) {
      if (timed_tensors_ == 0) return {};
      throw Error(file + ": tensors have times (us), but transfers is \"links\"");
    }
    for (std::size_t t = 0; t < transfer_times_.size(); ++t)
      if (!transfer_times_[t].given)
        fail("{}: tensors[{}] has no time (us), expected one on all tensors or on none", file, t);
    if (source == TransferSource::kPerTensorAndPair)
      return TransferTimes::per_tensor_and_pair(cluster_.device_count(), pair_table(file));
    if (!pair_times_.empty())
      throw Error(file +
                  ": tensors have times per pair of devices, but transfers is \"per-tensor\"");
    IdVector<TensorId, Duration> times;
    for (const TransferTime& time : transfer_times_) times.push_back(Duration{time.micros});
    return TransferTimes::per_tensor(times);
  }

 private:
  struct TransferTime {
    bool given = false;
    bool per_pair = false;
    double micros = 0;           // when not per pair
    std::size_t pair_begin = 0;  // into pair_times_, when per pair
  };

  NodeTimes estimated_times(const std::string& file, const Graph& graph) const {
    try {
      return roofline_times(graph, cluster_);
    } catch (const Error& error) {
      fail("{}: nodes[{}] has no times (us), and {}", file, index(untimed_.front()), error.what());
    }
  }

  void read_node(const JsonValue& value) {
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
                 optional("pass", into(node.pass, word_at<Pass>)),
                 optional("group", into(node.group, group_at)));
    if (!timed) untimed_.push_back(id);
    names_.push_back(node.name.empty() ? std::to_string(index(id)) : node.name);
    builder_.add_node(std::move(node));
  }

  // A number for all devices, a list in their order, or an object by their names.
  void read_times(const JsonValue& value, NodeId node) {
    if (value.is_object()) {
      std::vector<char> seen(cluster_.device_count(), 0);
      value.each_member([&](std::string_view name, const JsonValue& time) {
        const auto device = device_by_name_.find(name);
        if (device == device_by_name_.end()) time.fail("is not a device of the cluster");
        if (seen[index(device->second)]++) time.fail("is given twice");
        times_.set(node, device->second, time.microseconds_or_never());
      });
    } else if (value.is_array()) {
      each_device(value, cluster_.device_count(), [&](DeviceId d, const JsonValue& time) {
        times_.set(node, d, time.microseconds_or_never());
      });
    } else {
      const Duration time = value.microseconds_or_never();
      for (const DeviceId d : cluster_.devices()) times_.set(node, d, time);
    }
  }

  NodeId node_at(const JsonValue& value) {
    if (value.is_number())
      return static_cast<NodeId>(value.integer_between(0, std::ssize(names_) - 1));
    if (!value.is_string()) value.expected("the name or the position of a node");
    if (by_name_.empty())
      for (std::size_t i = 0; i < names_.size(); ++i)
        by_name_.emplace(names_[i], static_cast<NodeId>(i));
    const auto found = by_name_.find(value.text());
    if (found == by_name_.end()) value.expected("the name of a node");
    return found->second;
  }

  std::vector<NodeId> consumers_at(const JsonValue& value) {
    if (!value.is_array()) return {node_at(value)};
    std::vector<NodeId> consumers;
    value.each([&](const JsonValue& node) { consumers.push_back(node_at(node)); });
    return consumers;
  }

  struct TensorEntry {
    NodeId producer{};
    std::vector<NodeId> consumers;
    Tensor tensor;
    TransferTime time;
  };

  // [from, to, bytes, us], the last two optional
  TensorEntry short_tensor_at(const JsonValue& value) {
    TensorEntry entry;
    if (const std::size_t size = value.array_size(); size < 2 || size > 4)
      value.fail("has {} entries, expected [from, to], [from, to, bytes] or [from, to, bytes, us]",
                 size);
    value.each([&](const JsonValue& part) {
      if (part.position() == 0) entry.producer = node_at(part);
      if (part.position() == 1) entry.consumers = consumers_at(part);
      if (part.position() == 2) entry.tensor.size = part.bytes();
      if (part.position() == 3) entry.time = transfer_time_at(part);
    });
    return entry;
  }

  TensorEntry tensor_at(const JsonValue& value) {
    TensorEntry entry;
    value.fields(required("from", [&](const JsonValue& v) { entry.producer = node_at(v); }),
                 optional("to", [&](const JsonValue& v) { entry.consumers = consumers_at(v); }),
                 optional("bytes", into(entry.tensor.size, &JsonValue::bytes)),
                 optional("us", [&](const JsonValue& v) { entry.time = transfer_time_at(v); }),
                 optional("type", into(entry.tensor.element_type, &JsonValue::text)),
                 optional("role", into(entry.tensor.role, word_at<TensorRole>)),
                 optional("shape", [&](const JsonValue& v) {
                   v.each([&](const JsonValue& extent) {
                     entry.tensor.shape.push_back(extent.integer_between(-1, kLargestBytes));
                   });
                 }));
    return entry;
  }

  // A number for all pairs of devices, or a matrix [from][to].
  TransferTime transfer_time_at(const JsonValue& value) {
    if (!value.is_array()) return {.given = true, .micros = value.microseconds().count()};
    const std::size_t count = cluster_.device_count(), begin = pair_times_.size();
    check_pair_table(value.file(), begin / (count * count) + 1, count);
    each_pair(value, count, [&](DeviceId, DeviceId, const JsonValue& entry) {
      pair_times_.push_back(entry.microseconds().count());
    });
    return {.given = true, .per_pair = true, .pair_begin = begin};
  }

  std::vector<double> pair_table(const std::string& file) const {
    const std::size_t devices = cluster_.device_count(), pairs = devices * devices;
    check_pair_table(file, transfer_times_.size(), devices);
    std::vector<double> table;
    table.reserve(transfer_times_.size() * pairs);
    for (const TransferTime& time : transfer_times_)
      for (std::size_t p = 0; p < pairs; ++p) {
        const bool same_device = p / devices == p % devices;
        table.push_back(time.per_pair ? pair_times_[time.pair_begin + p]
                        : same_device ? 0.0
                                      : time.micros);
      }
    return table;
  }

  const Cluster& cluster_;
  std::unordered_map<std::string_view, DeviceId> device_by_name_;
  GraphBuilder builder_;
  NodeTimes times_;
  std::vector<NodeId> untimed_;
  std::vector<std::string> names_;
  std::unordered_map<std::string_view, NodeId> by_name_;  // filled when first needed
  std::vector<TransferTime> transfer_times_;
  std::vector<double> pair_times_;
  std::size_t timed_tensors_ = 0;
};

}  // namespace

std::pair<Graph, Costs> graph_from(const GraphValues& values, const Cluster& own,
                                   const Cluster& wanted) {
  const std::string& file = values.nodes->file();
  GraphReader reader(own);
  reader.read_nodes(*values.nodes);
  if (values.tensors) reader.read_tensors(*values.tensors);
  Graph graph = reader.graph(file);
  Costs costs;
  if (device_names(own) == device_names(wanted)) {
    costs = {reader.times(file, graph), reader.transfers(file, values.transfers)};
  } else {
    check_counts(file, graph.node_count(), wanted.device_count());
    costs.times = in_file(file, [&] { return roofline_times(graph, wanted); });
  }
  return {std::move(graph), std::move(costs)};
}

}  // namespace berth
