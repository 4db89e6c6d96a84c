#include "berth/cost/devices.h"

#include <algorithm>
#include <cmath>
#include <unordered_set>

#include <fmt/format.h>

#include "berth/base/fail.h"

namespace berth {
namespace {

constexpr std::size_t kMostDevices = 4096;  // the link matrix is dense

void check_device(const Device& device) {
  if (device.name.empty()) throw Error("a device has an empty name");
  const auto check = [&](const char* what, double value) {
    if (!(value >= 0) || !std::isfinite(value))
      fail("device '{}': {} is {}, expected a finite number >= 0", device.name, what, value);
  };
  check("flops_per_second", device.flops_per_second);
  check("bytes_per_second", device.bytes_per_second);
  check("launch", device.launch.count());
  if (device.memory) check("memory", static_cast<double>(device.memory->count));
}

// `whose` speed it is, for the message: "link a -> b: the" or "the network's".
template <class Whose>
void check_speed(Duration startup, double bytes_per_second, Whose&& whose) {
  if (!(startup.count() >= 0) || !std::isfinite(startup.count()))
    fail("{} start-up time is {} us, expected a finite time >= 0", whose(), startup.count());
  if (!(bytes_per_second > 0))
    fail("{} bandwidth is {} bytes/s, expected > 0", whose(), bytes_per_second);
}

}  // namespace

Duration transfer_time(Bytes size, const Link& link) {
  return link.startup + Duration{1e6 * static_cast<double>(size.count) / link.bytes_per_second};
}

Cluster::Cluster(std::vector<Device> devices) : devices_(std::move(devices)) {
  if (devices_.empty()) throw Error("a cluster needs at least one device");
  if (devices_.size() > kMostDevices)
    fail("a cluster has {} devices; at most {} are supported", devices_.size(), kMostDevices);
  std::unordered_set<std::string> names;
  for (const Device& device : devices_) {
    check_device(device);
    if (!names.insert(device.name).second)
      fail("two devices are named '{}': names must be unique", device.name);
  }
  links_.resize(device_count() * device_count());
  if (device_count() > 200) return;  // channel ids are 16 bits: such links are never contended
  each_link([&](DeviceId from, DeviceId to) {
    set_link_channels(from, to, {add_channel(device(from).name + "->" + device(to).name)});
  });
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

bool Cluster::only_cpus() const { return std::ranges::all_of(devices_, &Device::is_host); }

Servers Cluster::servers() const {
  Servers servers;
  for (const Device& device : devices_) {
    const auto known = std::ranges::find(servers.names, device.server);
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
  if (same && *same != device) fail("two devices are named '{}': names must be unique", value.name);
  devices_[device] = std::move(value);
}

void Cluster::set_link_speed(DeviceId from, DeviceId to, Duration startup,
                             double bytes_per_second) {
  check_speed(startup, bytes_per_second, [&] {
    return fmt::format("link {} -> {}: the", device(from).name, device(to).name);
  });
  Link& link = links_[index(from) * device_count() + index(to)];
  link.startup = startup;
  link.bytes_per_second = bytes_per_second;
}

void Cluster::set_network(Duration startup, double bytes_per_second) {
  check_speed(startup, bytes_per_second, [] { return "the network's"; });
  network_ = {.startup = startup, .bytes_per_second = bytes_per_second, .channels = {}};
}

void Cluster::set_link_channels(DeviceId from, DeviceId to, std::vector<ChannelId> channels) {
  for (const ChannelId channel : channels)
    if (index(channel) >= channel_count())
      fail("link {} -> {} names channel {}, but there are {}", device(from).name, device(to).name,
           index(channel), channel_count());
  links_[index(from) * device_count() + index(to)].channels = std::move(channels);
}

void Cluster::set_uncontended() {
  for (Link& link : links_) link.channels.clear();
  channel_names_.clear();
}

void Cluster::set_shared_bus(const std::string& name) {
  set_uncontended();
  const ChannelId bus = add_channel(name);
  each_link([&](DeviceId from, DeviceId to) { set_link_channels(from, to, {bus}); });
}

}  // namespace berth
