#include "berth/runtime/local_cluster.h"

#include <algorithm>
#include <charconv>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "berth/base/fail.h"
#include "berth/base/listed.h"
#include "berth/cost/clusters.h"
#include "berth/io/devices_json.h"

namespace berth {
namespace {

// Puts the precision first, where it is the one used.
void choose_precision(RealDevice& device, const std::string& precision) {
  const auto found = std::ranges::find(device.precisions, precision);
  if (found == device.precisions.end())
    fail("--precision {}: {} computes in {} only", precision, device.name,
         listed(device.precisions));
  std::rotate(device.precisions.begin(), found, found + 1);
}

DeviceSpeed speed_of(Runtime& runtime, const RealDevice& device, RecordFile& cache) {
  const std::string key =
      fmt::format("device|{}|{}", runtime.version(), runtime.device_class(device));
  if (const auto known = numbers_in(cache.find(key), 3); !known.empty())
    return {known[0], known[1], Duration{known[2]}};
  const DeviceSpeed speed = runtime.measure_device(device);
  cache.add(key, fmt::format("{} {} {}", speed.flops_per_second, speed.bytes_per_second,
                             speed.launch.count()));
  return speed;
}

// Cores tell how near two groups are, so they are part of the key.
LinkSpeed link_of(Runtime& runtime, const RealDevice& from, const RealDevice& to, RecordFile& cache,
                  bool again) {
  const auto named = [&](const RealDevice& device) {
    return fmt::format("{} {}", runtime.device_class(device), fmt::join(device.cores, ","));
  };
  const std::string key = fmt::format("link|{}|{}|{}", runtime.version(), named(from), named(to));
  if (const auto known = numbers_in(cache.find(key), 2); !known.empty() && !again)
    return {Duration{known[0]}, known[1]};
  const LinkSpeed speed = runtime.measure_link(from, to);
  cache.add(key, fmt::format("{} {}", speed.startup.count(), speed.bytes_per_second));
  return speed;
}

// The devices of these names, in their order, looked for among groups of cores of any number: CPU0,
// CPU1, ... are groups, at least as many as the largest number says; CPU alone is all cores.
std::vector<RealDevice> find_devices(Runtime& runtime, const std::vector<std::string>& names) {
  std::optional<int> groups;
  for (const std::string& name : names) {
    int number = 0;
    const char* const end = name.data() + name.size();
    if (name == "CPU")
      groups = std::max(groups.value_or(0), 1);
    else if (name.starts_with("CPU") && std::from_chars(name.data() + 3, end, number).ptr == end)
      groups = std::max({groups.value_or(0), 2, number + 1});
  }
  const std::vector<RealDevice> known = runtime.devices(groups);
  std::vector<RealDevice> found;
  for (const std::string& name : names) {
    const auto device = std::ranges::find(known, name, &RealDevice::name);
    if (device == known.end()) {
      std::vector<std::string> there;
      for (const RealDevice& each : known) there.push_back(each.name);
      fail("device '{}' is not one of this machine; there are {}", name, listed(there));
    }
    found.push_back(*device);
  }
  return found;
}

}  // namespace

std::optional<LocalName> parse_local(const std::string& name) {
  constexpr std::string_view kPrefix = "local:";
  if (name == "local") return LocalName{};
  if (!name.starts_with(kPrefix)) return std::nullopt;
  int groups = 0;
  const char* const end = name.data() + name.size();
  const auto [after, error] = std::from_chars(name.data() + kPrefix.size(), end, groups);
  if (error != std::errc() || after != end)
    fail("{}: expected local:N with the number of groups of cores", name);
  return LocalName{groups};
}

Cluster local_cluster(Runtime& runtime, const std::vector<RealDevice>& devices, RecordFile& cache,
                      bool measure_links_again) {
  std::vector<Device> described;
  for (const RealDevice& device : devices) {
    const DeviceSpeed speed = speed_of(runtime, device, cache);
    described.push_back({.name = device.name,
                         .kind = device.kind,
                         .memory = device.memory,
                         .flops_per_second = speed.flops_per_second,
                         .bytes_per_second = speed.bytes_per_second,
                         .launch = speed.launch});
  }
  Cluster cluster(std::move(described));
  for (const DeviceId from : cluster.devices())
    for (const DeviceId to : cluster.devices()) {
      if (from == to) continue;
      const LinkSpeed speed =
          link_of(runtime, devices[index(from)], devices[index(to)], cache, measure_links_again);
      cluster.set_link_speed(from, to, speed.startup, speed.bytes_per_second);
    }
  const bool shared_memory = std::ranges::all_of(
      devices, [](const RealDevice& device) { return device.kind == DeviceKind::kCpu; });
  if (shared_memory || devices.size() == 1) cluster.set_uncontended();
  return cluster;
}

std::vector<RealDevice> named_devices(Runtime& runtime, const std::string& name,
                                      const std::string& precision) {
  const auto local = parse_local(name);
  std::vector<RealDevice> devices = local ? runtime.devices(local->groups)
                                          : find_devices(runtime, device_names(find_cluster(name)));
  if (!precision.empty())
    for (RealDevice& device : devices) choose_precision(device, precision);
  return devices;
}

}  // namespace berth
