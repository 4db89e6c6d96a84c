#include "berth/cost/change_cluster.h"

#include <array>
#include <charconv>
#include <cmath>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "berth/base/error.h"
#include "berth/base/listed.h"
#include "berth/base/text.h"
#include "berth/cost/clusters.h"

namespace berth {
namespace {

struct Amount {
  double count = 0;
  bool is_share = false;  // of the device's memory; otherwise bytes
};

Amount parse_amount(const std::string& request, std::string_view text) {
  static constexpr std::array<std::pair<std::string_view, double>, 11> kUnits{
      {{"", 1},
       {"B", 1},
       {"%", 0.01},
       {"KB", 1e3},
       {"MB", 1e6},
       {"GB", 1e9},
       {"TB", 1e12},
       {"KiB", 1024.0},
       {"MiB", 1024.0 * 1024},
       {"GiB", 1024.0 * 1024 * 1024},
       {"TiB", 1024.0 * 1024 * 1024 * 1024}}};
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const std::string_view unit(end, text.data() + text.size() - end);
  for (const auto& [name, factor] : kUnits)
    if (error == std::errc() && name == unit && std::isfinite(number) && number >= 0)
      return {number * factor, unit == "%"};
  throw Error(fmt::format("--reserve {}: expected DEVICE=10% or DEVICE=2GiB", request));
}

}  // namespace

Cluster without_limits(Cluster cluster) {
  for (const DeviceId id : cluster.devices()) {
    Device device = cluster.device(id);
    device.memory.reset();
    cluster.set_device(id, std::move(device));
  }
  return cluster;
}

ReservedCluster reserve_memory(Cluster cluster, const std::vector<std::string>& requests) {
  ReservedCluster result{std::move(cluster), {}};
  for (const std::string& request : requests) {
    const std::size_t split = request.rfind('=');
    const std::string name = split == std::string::npos ? "" : request.substr(0, split);
    const Amount amount = parse_amount(request, std::string_view(request).substr(split + 1));
    bool found = false;
    for (const DeviceId id : result.cluster.devices()) {
      Device device = result.cluster.device(id);
      if (split != std::string::npos && device.name != name) continue;
      found = true;
      if (!device.memory) {
        result.warnings.push_back(fmt::format(
            "--reserve {}: {} has no memory limit, nothing is reserved", request, device.name));
        continue;
      }
      const double limit = static_cast<double>(device.memory->count);
      const double kept = limit - (amount.is_share ? limit * amount.count : amount.count);
      if (kept < 0)
        throw Error(fmt::format("--reserve {}: {} has only {}", request, device.name,
                                bytes_text(*device.memory)));
      device.memory = Bytes{static_cast<std::int64_t>(kept)};
      result.cluster.set_device(id, device);
    }
    if (found) continue;
    throw Error(fmt::format("--reserve {}: no device is called '{}'; there are {}", request, name,
                            listed(device_names(result.cluster))));
  }
  return result;
}

Cluster in_servers(Cluster cluster, int servers) {
  const std::size_t count = static_cast<std::size_t>(servers);
  if (count > cluster.device_count())
    throw Error(fmt::format("--servers {}: there are only {} devices to divide", servers,
                            cluster.device_count()));
  std::size_t of_kind[2] = {0, 0}, given[2] = {0, 0};  // accelerators, CPUs
  for (const DeviceId id : cluster.devices()) ++of_kind[cluster.device(id).is_host()];
  for (const DeviceId id : cluster.devices()) {
    Device device = cluster.device(id);
    const bool host = device.is_host();
    device.server = fmt::format("server{}", given[host]++ * count / of_kind[host]);
    cluster.set_device(id, std::move(device));
  }
  return cluster;
}

}  // namespace berth
