// A cluster as its user wants it: with memory left free, without limits, divided into servers.
//
// Requests are words, as on the command line, and messages call them by their names there
// (--reserve, --servers).
#pragma once

#include "berth/cost/devices.h"

namespace berth {

Cluster without_limits(Cluster cluster);

// Less memory, by requests such as "GPU.0=10%", "GPU.0=2GiB", or "10%" of every device. What cannot
// be reserved, because the device has no limit, is a warning. Throws Error when a request is not
// understood, names no device or asks for more than there is.
struct ReservedCluster {
  Cluster cluster;
  std::vector<std::string> warnings;
};
ReservedCluster reserve_memory(Cluster cluster, const std::vector<std::string>& requests);

// The devices divided into so many servers: accelerators in their order, as evenly as it goes, and
// CPUs alike. They are named server0, server1, ... Throws Error when there are fewer devices.
Cluster in_servers(Cluster cluster, int servers);

}  // namespace berth
