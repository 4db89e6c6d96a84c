#include "berth/transform/replica_groups.h"

namespace berth {
namespace {

Device merged_device(const Cluster& cluster, const std::vector<DeviceId>& group) {
  Device merged = cluster.device(group.front());
  double pieces_per_micro = 0, border = 0;
  bool borders_cost = true;
  for (const DeviceId id : group) {
    const Device& device = cluster.device(id);
    if (device.memory && (!merged.memory || *device.memory < *merged.memory))
      merged.memory = device.memory;
    pieces_per_micro += 1 / device.piece_overhead.count();  // no overhead: infinitely many
    border += device.border_bytes_per_second;
    borders_cost &= device.border_bytes_per_second > 0;
  }
  merged.piece_overhead = Duration{1 / pieces_per_micro};
  merged.border_bytes_per_second = borders_cost ? border : 0;
  return merged;
}

Duration merged_time(const Problem& problem, NodeId node, const std::vector<DeviceId>& group) {
  double runs_per_micro = 0;
  for (const DeviceId device : group) {
    if (!problem.allows(node, device)) return kForever;
    runs_per_micro += 1 / problem.costs().times(node, device).count();
  }
  return Duration{1 / runs_per_micro};
}

TransferTimes merged_transfers(const Problem& problem, const DeviceGroups& groups) {
  const TransferTimes& given = problem.costs().transfers;
  if (given.source() != TransferSource::kPerTensorAndPair) return given;
  std::vector<double> micros;
  for (const TensorId tensor : problem.graph().tensors())
    for (const auto& from : groups)
      for (const auto& to : groups)
        micros.push_back(given.given(tensor, from.front(), to.front()).count());
  return TransferTimes::per_tensor_and_pair(groups.size(), std::move(micros));
}

}  // namespace

Problem merge_devices(const Problem& problem, const DeviceGroups& groups) {
  std::vector<Device> devices;
  for (const auto& group : groups) devices.push_back(merged_device(problem.cluster(), group));
  Cluster cluster(std::move(devices));
  NodeTimes times(problem.node_count(), groups.size());
  cluster.each_link([&](DeviceId from, DeviceId to) {
    const Link& link =
        problem.cluster().link(groups[index(from)].front(), groups[index(to)].front());
    cluster.set_link_speed(from, to, link.startup, link.bytes_per_second);
  });
  for (const DeviceId id : cluster.devices())
    for (const NodeId node : problem.graph().nodes())
      times.set(node, id, merged_time(problem, node, groups[index(id)]));
  const Link& network = problem.cluster().network();
  cluster.set_network(network.startup, network.bytes_per_second);
  // Who may run where is in the times already.
  Constraints constraints{.together = problem.constraints().together,
                          .apart = problem.constraints().apart};
  return Problem(problem.name(), problem.graph(), std::move(cluster),
                 {std::move(times), merged_transfers(problem, groups)}, std::move(constraints),
                 problem.model());
}

Placement spread(const Placement& merged, const DeviceGroups& groups) {
  Placement placement{merged.device_of, merged.order};
  std::vector<bool> works(groups.size(), false);
  for (DeviceId& device : placement.device_of) {
    works[index(device)] = true;
    device = groups[index(device)].front();
  }
  for (std::size_t g = 0; g < groups.size(); ++g)
    for (std::size_t i = 1; works[g] && i < groups[g].size(); ++i)
      placement.replicas.push_back({groups[g][i], groups[g].front()});
  std::ranges::sort(placement.replicas, {}, &Replica::device);
  return placement;
}

}  // namespace berth
