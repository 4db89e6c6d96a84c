#include "berth/cost/change_cluster.h"

#include <fmt/format.h>

#include "berth/base/fail.h"
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
  using Unit = std::pair<std::string_view, double>;
  static constexpr std::array kUnits{Unit{"", 1},         Unit{"B", 1},        Unit{"%", 0.01},
                                     Unit{"KB", 1e3},     Unit{"MB", 1e6},     Unit{"GB", 1e9},
                                     Unit{"TB", 1e12},    Unit{"KiB", 0x1p10}, Unit{"MiB", 0x1p20},
                                     Unit{"GiB", 0x1p30}, Unit{"TiB", 0x1p40}};
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const std::string_view unit(end, text.data() + text.size() - end);
  for (const auto& [name, factor] : kUnits)
    if (error == std::errc() && name == unit && std::isfinite(number) && number >= 0)
      return {number * factor, unit == "%"};
  fail("--reserve {}: expected DEVICE=10% or DEVICE=2GiB", request);
}

}  // namespace

Cluster without_limits(Cluster cluster) {
  cluster.change_devices([](Device& device) { device.memory.reset(); });
  return cluster;
}

ReservedCluster reserve_memory(Cluster cluster, const std::vector<std::string>& requests) {
  ReservedCluster result{std::move(cluster), {}};
  for (const std::string& request : requests) {
    const std::size_t split = request.rfind('=');
    const std::string name = split == std::string::npos ? "" : request.substr(0, split);
    const Amount amount = parse_amount(request, std::string_view(request).substr(split + 1));
    bool found = false;
    result.cluster.change_devices([&](Device& device) {
      if (split != std::string::npos && device.name != name) return;
      found = true;
      if (!device.memory)
        return result.warnings.push_back(fmt::format(
            "--reserve {}: {} has no memory limit, nothing is reserved", request, device.name));
      const double limit = static_cast<double>(device.memory->count);
      const double kept = limit - (amount.is_share ? limit * amount.count : amount.count);
      if (kept < 0)
        fail("--reserve {}: {} has only {}", request, device.name, bytes_text(*device.memory));
      device.memory = Bytes{static_cast<std::int64_t>(kept)};
    });
    if (found) continue;
    fail("--reserve {}: no device is called '{}'; there are {}", request, name,
         listed(device_names(result.cluster)));
  }
  return result;
}

Cluster in_servers(Cluster cluster, int servers) {
  const std::size_t count = static_cast<std::size_t>(servers);
  if (count > cluster.device_count())
    fail("--servers {}: there are only {} devices to divide", servers, cluster.device_count());
  std::size_t of_kind[2] = {0, 0}, given[2] = {0, 0};  // accelerators, CPUs
  for (const DeviceId id : cluster.devices()) ++of_kind[cluster.device(id).is_host()];
  cluster.change_devices([&](Device& device) {
    const bool host = device.is_host();
    device.server = fmt::format("server{}", given[host]++ * count / of_kind[host]);
  });
  return cluster;
}

}  // namespace berth
