#include "tests/support/sketch.h"

#include <utility>

#include <fmt/format.h>

namespace berth {
namespace {

Cluster plain_cluster(std::size_t devices, std::size_t hosts) {
  std::vector<Device> list;
  for (std::size_t d = 0; d < devices; ++d)
    list.push_back({.name = fmt::format("d{}", d),
                    .kind = d < hosts ? DeviceKind::kCpu : DeviceKind::kAccelerator,
                    .memory = std::nullopt});
  return Cluster(std::move(list));
}

}  // namespace

Sketch::Sketch(std::string name, std::size_t devices, std::size_t hosts)
    : cluster(plain_cluster(devices, hosts)), name_(std::move(name)) {
  set_links(0, 1);
}

NodeId Sketch::node(const std::string& name, std::vector<double> micros_by_device) {
  nodes_.emplace_back().name = name;
  micros_.push_back(std::move(micros_by_device));
  return static_cast<NodeId>(nodes_.size() - 1);
}

TensorId Sketch::tensor(NodeId producer, std::int64_t bytes, std::vector<NodeId> consumers,
                        TensorRole role) {
  tensors_.push_back({producer, Bytes{bytes}, std::move(consumers), role, {}});
  return static_cast<TensorId>(tensors_.size() - 1);
}

NodeId Sketch::shared_weight(const std::string& name, std::int64_t bytes,
                             std::vector<NodeId> users) {
  const NodeId holder = node(name, std::vector<double>(cluster.device_count(), 0.0));
  at(holder).weights = Bytes{bytes};
  tensor(holder, bytes, std::move(users), TensorRole::kWeight);
  return holder;
}

void Sketch::set_memory(std::size_t device, std::int64_t bytes) {
  Device changed = cluster.device(static_cast<DeviceId>(device));
  changed.memory = Bytes{bytes};
  cluster.set_device(static_cast<DeviceId>(device), changed);
}

void Sketch::set_links(double startup, double micros_per_byte) {
  for (std::size_t a = 0; a < cluster.device_count(); ++a)
    for (std::size_t b = 0; b < cluster.device_count(); ++b)
      if (a != b) set_link(a, b, startup, micros_per_byte);
}

void Sketch::set_link(std::size_t from, std::size_t to, double startup, double micros_per_byte) {
  cluster.set_link_speed(static_cast<DeviceId>(from), static_cast<DeviceId>(to), Duration{startup},
                         1e6 / micros_per_byte);
}

Problem Sketch::build() const {
  GraphBuilder builder;
  for (const Node& node : nodes_) builder.add_node(node);
  for (const Use& use : tensors_)
    builder.add_tensor(use.producer, Tensor{use.size, use.shape, {}, use.role});
  for (std::size_t t = 0; t < tensors_.size(); ++t)
    for (const NodeId consumer : tensors_[t].consumers)
      builder.add_use(static_cast<TensorId>(t), consumer);
  Graph graph = std::move(builder).build();
  NodeTimes times(nodes_.size(), cluster.device_count());
  for (const NodeId node : graph.nodes())
    for (const DeviceId device : cluster.devices())
      times.set(node, device, Duration{micros_[index(node)].at(index(device))});
  return Problem(name_, std::move(graph), cluster,
                 {.times = std::move(times), .transfers = transfers}, constraints, model);
}

Placement placed(std::vector<int> device_numbers, std::vector<NodeId> order) {
  Placement placement;
  for (const int number : device_numbers)
    placement.device_of.push_back(static_cast<DeviceId>(number));
  placement.order = std::move(order);
  return placement;
}

}  // namespace berth
