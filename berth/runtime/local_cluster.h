// This machine as a cluster: `local`, or `local:N` for N groups of cores.
//
// Devices are the runtime's; speeds and links are measured once by quick probes and then remembered
// (io/record_file.h) under the device's class and the runtime's version. Transfers between groups
// of cores go through shared memory and do not wait for each other.
#pragma once

#include "berth/runtime/runtime.h"

namespace berth {

// The number of groups that "local" or "local:N" asks for; empty optional inside for "local".
// Nothing when `name` is neither. Throws Error when N is not a number.
struct LocalName {
  std::optional<int> groups;
};
std::optional<LocalName> parse_local(const std::string& name);

Cluster local_cluster(Runtime& runtime, const std::vector<RealDevice>& devices, RecordFile& cache,
                      bool measure_links_again = false);

// The devices of this machine that `local`, `local:N` or a cluster by name or file means. Throws
// Error, which lists what exists, when one is not here, or lacks the precision (empty: the first
// that each offers).
std::vector<RealDevice> named_devices(Runtime& runtime, const std::string& name,
                                      const std::string& precision = "");

}  // namespace berth
