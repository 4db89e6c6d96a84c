// A problem in the making, for tests: nodes with their times on each device, tensors with their
// consumers, and the rest of a Problem as plain fields. A hand-worked example then reads as a list
// of facts:
//   Sketch sketch("diamond", 2);
//   const NodeId a = sketch.node("a", {1, 2});
//   const NodeId b = sketch.node("b", {3, 1});
//   sketch.tensor(a, 10, {b});
//   const Problem problem = sketch.build();
// Times are microseconds; links take one microsecond per byte unless the test says otherwise.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "berth/placement.h"
#include "berth/problem.h"

namespace berth {

inline constexpr double kNever = std::numeric_limits<double>::infinity();

class Sketch {
 public:
  // Devices d0, d1, ... without memory limits; the first `hosts` of them are CPUs.
  Sketch(std::string name, std::size_t devices, std::size_t hosts = 0);

  NodeId node(const std::string& name, std::vector<double> micros_by_device);
  TensorId tensor(NodeId producer, std::int64_t bytes, std::vector<NodeId> consumers,
                  TensorRole role = TensorRole::kValue);
  // A node without time that holds so many bytes and shares them with the users.
  NodeId shared_weight(const std::string& name, std::int64_t bytes, std::vector<NodeId> users);
  Node& at(NodeId node) { return nodes_[index(node)]; }
  std::size_t node_count() const { return nodes_.size(); }
  std::size_t tensor_count() const { return tensors_.size(); }
  void make_image(TensorId tensor) { tensors_[index(tensor)].shape = {1, 1, 1, 1}; }
  void set_memory(std::size_t device, std::int64_t bytes);
  // All links: startup + bytes * micros_per_byte. The constructor sets 0 and 1.
  void set_links(double startup, double micros_per_byte);
  void set_link(std::size_t from, std::size_t to, double startup, double micros_per_byte);

  Problem build() const;

  Cluster cluster;
  TransferTimes transfers;
  Constraints constraints;
  ExecutionModel model;

 private:
  struct Use {
    NodeId producer;
    Bytes size;
    std::vector<NodeId> consumers;
    TensorRole role = TensorRole::kValue;
    std::vector<std::int64_t> shape{};
  };
  std::string name_;
  std::vector<Node> nodes_;
  std::vector<std::vector<double>> micros_;
  std::vector<Use> tensors_;
};

// A placement by device numbers, one per node, in node order.
Placement placed(std::vector<int> device_numbers, std::vector<NodeId> order = {});

}  // namespace berth
