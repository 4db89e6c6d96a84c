// A network-like random problem of any size: mostly chains, some branches that join again, 1.5
// edges per node, times and tensor sizes spread over two orders of magnitude, unequal devices.
#pragma once

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "berth/base/random.h"
#include "berth/placement.h"
#include "berth/problem.h"

namespace berth::bench {

inline Problem random_network(std::size_t nodes, std::size_t devices, std::uint64_t seed = 1,
                              ExecutionModel model = {}) {
  Rng rng(seed);
  GraphBuilder builder;
  std::vector<TensorId> output;
  for (std::size_t i = 0; i < nodes; ++i) {
    const NodeId node = builder.add_node(
        {.name = std::string("n").append(std::to_string(i)), .weights = Bytes{1 << 16}});
    const double bytes = std::exp(std::log(1e4) + rng.uniform() * std::log(1e2));
    output.push_back(builder.add_tensor(node, {.size = Bytes{static_cast<std::int64_t>(bytes)}}));
    if (i == 0) continue;
    // Near neighbours, as in real networks; every second node joins two branches.
    const std::size_t reach = std::min<std::size_t>(i, 12);
    builder.add_use(output[i - 1 - rng.below(reach)], node);
    if (i % 2 == 0 && i > 12) builder.add_use(output[i - 1 - rng.below(reach)], node);
  }
  Graph graph = std::move(builder).build();

  std::vector<Device> list;
  for (std::size_t d = 0; d < devices; ++d)
    list.push_back({.name = std::string("d").append(std::to_string(d)),
                    .kind = d == 0 ? DeviceKind::kCpu : DeviceKind::kGpu});
  Cluster cluster(std::move(list));
  for (const DeviceId from : cluster.devices())
    for (const DeviceId to : cluster.devices())
      if (from != to) cluster.set_link_speed(from, to, Duration{10}, 12e9);

  NodeTimes times(nodes, devices);
  for (const NodeId node : graph.nodes()) {
    const double base = std::exp(std::log(2.0) + rng.uniform() * std::log(1e2));
    for (const DeviceId device : cluster.devices())
      times.set(node, device, Duration{base * (0.5 + rng.uniform())});
  }
  return Problem(std::string("random-").append(std::to_string(nodes)), std::move(graph),
                 std::move(cluster), Costs{std::move(times), {}}, {}, model);
}

inline Placement random_placement(const Problem& problem, Rng& rng) {
  Placement placement{IdVector<NodeId, DeviceId>(problem.node_count()), {}};
  for (DeviceId& device : placement.device_of)
    device = static_cast<DeviceId>(rng.below(problem.device_count()));
  return placement;
}

}  // namespace berth::bench
