#include "berth/cost/devices.h"

#include <algorithm>
#include <cmath>
#include <unordered_set>

#include <fmt/format.h>

#include "berth/base/error.h"

namespace berth {
namespace {

constexpr std::size_t kMostDevices = 4096;  // the link matrix is dense

void check_device(const Device& device) {
  if (device.name.empty()) throw Error("a device has an empty name");
  const auto check = [&](const char* what, double value) {
    if (!(value >= 0) || !std::isfinite(value))
      throw Error(fmt::format("device '{}': {} is {}, expected a finite number >= 0", device.name,
                              what, value));
  };
  check("flops_per_second", device.flops_per_second);
  check("bytes_per_second", device.bytes_per_second);
  check("launch", device.launch.count());
  if (device.memory) check("memory", static_cast<double>(device.memory->count));
}

}  // namespace

Duration transfer_time(Bytes size, const Link& link) {
  return link.startup + Duration{1e6 * static_cast<double>(size.count) / link.bytes_per_second};
}

Cluster::Cluster(std::vector<Device> devices) : devices_(std::move(devices)) {
  if (devices_.empty()) throw Error("a cluster needs at least one device");
  if (devices_.size() > kMostDevices)
    throw Error(fmt::format("a cluster has {} devices; at most {} are supported", devices_.size(),
                            kMostDevices));
  std::unordered_set<std::string> names;
  for (const Device& device : devices_) {
    check_device(device);
    if (!names.insert(device.name).second)
      throw Error(fmt::format("two devices are named '{}': names must be unique", device.name));
  }
  links_.resize(device_count() * device_count());
  if (device_count() > 200) return;  // channel ids are 16 bits: such links are never contended
  for (const DeviceId from : this->devices())
    for (const DeviceId to : this->devices())
      if (from != to)
        set_link_channels(from, to, {add_channel(device(from).name + "->" + device(to).name)});
}

std::optional<DeviceId> Cluster::find(const std::string& name) const {
  for (const DeviceId id : devices())
    if (devices_[id].name == name) return id;
  return std::nullopt;
}

std::optional<DeviceId> Cluster::host() const {
  for (const DeviceId id : devices())
    if (devices_[id].is_host()) return id;
  return std::nullopt;
}

std::optional<DeviceId> Cluster::host_of(DeviceId device) const {
  for (const DeviceId id : devices())
    if (devices_[id].is_host() && devices_[id].server == devices_[device].server) return id;
  return host();
}

Servers Cluster::servers() const {
  Servers servers;
  for (const Device& device : devices_) {
    const auto known = std::find(servers.names.begin(), servers.names.end(), device.server);
    servers.of.push_back(static_cast<std::size_t>(known - servers.names.begin()));
    if (known == servers.names.end()) servers.names.push_back(device.server);
  }
  return servers;
}

ChannelId Cluster::add_channel(std::string name) {
  if (channel_names_.size() >= 65535) throw Error("a cluster has more than 65535 channels");
  return channel_names_.push_back(std::move(name));
}

void Cluster::set_device(DeviceId device, Device value) {
  check_device(value);
  const std::optional<DeviceId> same = find(value.name);
  if (same && *same != device)
    throw Error(fmt::format("two devices are named '{}': names must be unique", value.name));
  devices_[device] = std::move(value);
}

void Cluster::set_link_speed(DeviceId from, DeviceId to, Duration startup,
                             double bytes_per_second) {
  if (!(startup.count() >= 0) || !std::isfinite(startup.count()))
    throw Error(
        fmt::format("link {} -> {}: the start-up time is {} us, expected a finite time >= 0",
                    device(from).name, device(to).name, startup.count()));
  if (!(bytes_per_second > 0))
    throw Error(fmt::format("link {} -> {}: the bandwidth is {} bytes/s, expected > 0",
                            device(from).name, device(to).name, bytes_per_second));
  Link& link = links_[index(from) * device_count() + index(to)];
  link.startup = startup;
  link.bytes_per_second = bytes_per_second;
}

void Cluster::set_network(Duration startup, double bytes_per_second) {
  if (!(startup.count() >= 0) || !std::isfinite(startup.count()))
    throw Error(fmt::format("the network's start-up time is {} us, expected a finite time >= 0",
                            startup.count()));
  if (!(bytes_per_second > 0))
    throw Error(
        fmt::format("the network's bandwidth is {} bytes/s, expected > 0", bytes_per_second));
  network_ = {.startup = startup, .bytes_per_second = bytes_per_second, .channels = {}};
}

void Cluster::set_link_channels(DeviceId from, DeviceId to, std::vector<ChannelId> channels) {
  for (const ChannelId channel : channels)
    if (index(channel) >= channel_count())
      throw Error(fmt::format("link {} -> {} names channel {}, but there are {}", device(from).name,
                              device(to).name, index(channel), channel_count()));
  links_[index(from) * device_count() + index(to)].channels = std::move(channels);
}

void Cluster::set_uncontended() {
  for (Link& link : links_) link.channels.clear();
  channel_names_.clear();
}

void Cluster::set_shared_bus(const std::string& name) {
  set_uncontended();
  const ChannelId bus = add_channel(name);
  for (const DeviceId from : devices())
    for (const DeviceId to : devices())
      if (from != to) set_link_channels(from, to, {bus});
}

const char* to_string(DeviceKind kind) {
  switch (kind) {
    case DeviceKind::kCpu:
      return "cpu";
    case DeviceKind::kGpu:
      return "gpu";
    case DeviceKind::kNpu:
      return "npu";
    case DeviceKind::kAccelerator:
      return "accelerator";
  }
  return "?";
}

std::optional<DeviceKind> device_kind_from(const std::string& name) {
  for (const DeviceKind kind :
       {DeviceKind::kCpu, DeviceKind::kGpu, DeviceKind::kNpu, DeviceKind::kAccelerator})
    if (name == to_string(kind)) return kind;
  return std::nullopt;
}

}  // namespace berth
