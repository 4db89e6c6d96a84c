// Nodes and tensors of a berth problem file, as far as the file gives them.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "berth/cost/costs.h"
#include "berth/cost/devices.h"
#include "berth/graph/graph.h"
#include "berth/io/json_value.h"

namespace berth {

// Reads nodes, then tensors, into a graph with its times. The cluster is borrowed.
class GraphReader {
 public:
  explicit GraphReader(const Cluster& cluster);

  void read_nodes(const JsonValue& nodes);
  void read_tensors(const JsonValue& tensors);

  // Each once, in this order, after reading.
  Graph graph(const std::string& file);
  // Nodes that came without times are estimated.
  NodeTimes times(const std::string& file, const Graph& graph);
  // `source` is what the file says; empty: as the tensors have it.
  TransferTimes transfers(const std::string& file, std::optional<TransferSource> source) const;

 private:
  struct TransferTime {
    bool given = false;
    bool per_pair = false;
    double micros = 0;           // when not per pair
    std::size_t pair_begin = 0;  // into pair_times_, when per pair
  };

  void read_node(const JsonValue& value);
  void read_times(const JsonValue& value, NodeId node);
  NodeId node_at(const JsonValue& value);
  void read_consumers(const JsonValue& value);
  void read_short_tensor(const JsonValue& value);
  void read_tensor(const JsonValue& value);
  void add_tensor(NodeId producer, Tensor tensor, TransferTime time);
  TransferTime read_transfer_time(const JsonValue& value);
  std::vector<double> pair_table(const std::string& file) const;

  const Cluster& cluster_;
  std::unordered_map<std::string_view, DeviceId> device_by_name_;
  GraphBuilder builder_;
  NodeTimes times_;
  std::vector<NodeId> untimed_;
  std::vector<std::string> names_;
  std::unordered_map<std::string_view, NodeId> by_name_;  // filled when first needed
  std::vector<NodeId> consumers_;                         // of the tensor being read
  std::vector<TransferTime> transfer_times_;
  std::vector<double> pair_times_;
  std::size_t timed_tensors_ = 0;
};

}  // namespace berth
