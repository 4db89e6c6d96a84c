// A problem whose devices stand in servers, drawn at random.
#pragma once

#include <string>
#include <utility>

#include "berth/base/random.h"
#include "berth/problem.h"

namespace berth {

// Two or three servers, devices anywhere; the network takes from a tenth to ten microseconds per
// byte.
inline Problem with_servers(const Problem& problem, Rng& rng) {
  Cluster cluster = problem.cluster();
  const std::uint64_t servers = 2 + rng.below(2);
  for (const DeviceId id : cluster.devices()) {
    Device device = cluster.device(id);
    device.server = std::string("s").append(std::to_string(rng.below(servers)));
    cluster.set_device(id, std::move(device));
  }
  const double micros_per_byte[] = {0.1, 1, 3, 10};
  cluster.set_network(Duration{static_cast<double>(rng.below(3))},
                      1e6 / micros_per_byte[rng.below(4)]);
  return problem.with_cluster(std::move(cluster));
}

}  // namespace berth
