#include "berth/io/devices_json.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <unordered_map>
#include <vector>

#include <fmt/format.h>

#include "berth/base/error.h"
#include "berth/base/in_quotes.h"
#include "berth/base/listed.h"
#include "berth/cost/clusters.h"
#include "berth/io/files.h"
#include "berth/io/in_file.h"
#include "berth/io/limits.h"
#include "berth/io/parts_json.h"

namespace berth {

namespace {

constexpr double kInfinite = std::numeric_limits<double>::infinity();
constexpr int kVersion = 1;

// Bandwidths below a byte per second would overflow times; null is an infinite one.
double bandwidth(const JsonValue& value) {
  return value.is_null() ? kInfinite : value.number_between(1, 1e30);
}

DeviceKind kind_at(const JsonValue& value) {
  const std::optional<DeviceKind> kind = device_kind_from(std::string(value.text()));
  if (!kind) value.expected("cpu, gpu, npu or accelerator");
  return *kind;
}

// One entry of "devices", `count` times.
void read_device(const JsonValue& value, std::vector<Device>& devices) {
  Device device;
  std::optional<std::int64_t> count;
  value.fields(
      required("name", [&](const JsonValue& v) { device.name = v.text(); }),
      optional("kind", [&](const JsonValue& v) { device.kind = kind_at(v); }),
      optional("count", [&](const JsonValue& v) { count = v.integer_between(1, kMostDevices); }),
      optional("memory",
               [&](const JsonValue& v) {
                 if (!v.is_null()) device.memory = v.bytes();
               }),
      optional("flops_per_second",
               [&](const JsonValue& v) { device.flops_per_second = v.number_between(0, 1e30); }),
      optional("bytes_per_second",
               [&](const JsonValue& v) { device.bytes_per_second = v.number_between(0, 1e30); }),
      optional("launch_us", [&](const JsonValue& v) { device.launch = v.microseconds(); }),
      optional("server", [&](const JsonValue& v) { device.server = v.text(); }),
      optional("piece_overhead_us",
               [&](const JsonValue& v) { device.piece_overhead = v.microseconds(); }),
      optional("border_bytes_per_second", [&](const JsonValue& v) {
        device.border_bytes_per_second = v.number_between(0, 1e30);
        if (device.border_bytes_per_second > 0 && device.border_bytes_per_second < 1)
          v.expected("0, or at least 1");
      }));
  if (device.name.empty()) value.fail("the name is empty, expected one to show in results");
  if (devices.size() + static_cast<std::size_t>(count.value_or(1)) > kMostDevices)
    value.fail(fmt::format("there are too many devices, expected at most {}", kMostDevices));
  if (!count) return devices.push_back(device);
  const std::string name = device.name;
  for (std::int64_t i = 0; i < *count; ++i) {
    device.name = fmt::format("{}{}", name, i);
    devices.push_back(device);
  }
}

// A K x K matrix, one call per entry off the diagonal.
template <class Read>
void each_pair(const JsonValue& matrix, const Cluster& cluster, Read&& read) {
  const std::size_t count = cluster.device_count();
  const auto check_size = [&](const JsonValue& list) {
    if (list.array_size() != count)
      list.fail(
          fmt::format("has {} entries, expected {}, one per device", list.array_size(), count));
  };
  check_size(matrix);
  std::size_t from = 0;
  matrix.each([&](const JsonValue& row) {
    check_size(row);
    std::size_t to = 0;
    row.each([&](const JsonValue& entry) {
      if (from != to) read(static_cast<DeviceId>(from), static_cast<DeviceId>(to), entry);
      ++to;
    });
    ++from;
  });
}

void set_startup(Cluster& cluster, DeviceId from, DeviceId to, Duration startup) {
  cluster.set_link_speed(from, to, startup, cluster.link(from, to).bytes_per_second);
}
void set_bandwidth(Cluster& cluster, DeviceId from, DeviceId to, double bytes_per_second) {
  cluster.set_link_speed(from, to, cluster.link(from, to).startup, bytes_per_second);
}

template <class Set>
void for_all_links(const Cluster& cluster, Set&& set) {
  for (const DeviceId from : cluster.devices())
    for (const DeviceId to : cluster.devices())
      if (from != to) set(from, to);
}

// Channels by name, in the order in which they are first named.
class Channels {
 public:
  explicit Channels(Cluster& cluster) : cluster_(cluster) {
    for (std::size_t i = 0; i < cluster.channel_count(); ++i)
      by_name_.emplace(cluster.channel_name(static_cast<ChannelId>(i)), static_cast<ChannelId>(i));
  }
  ChannelId at(const JsonValue& value) {
    const std::string name(value.text());
    if (const auto found = by_name_.find(name); found != by_name_.end()) return found->second;
    if (cluster_.channel_count() >= std::numeric_limits<std::uint16_t>::max())
      value.fail("there are too many channels, expected at most 65535");
    return by_name_[name] = cluster_.add_channel(name);
  }

 private:
  Cluster& cluster_;
  std::unordered_map<std::string, ChannelId> by_name_;
};

// "*" stands for every device.
std::vector<DeviceId> ends_at(const JsonValue& value, const Cluster& cluster) {
  if (!value.is_string() || value.text() != "*") return {device_at(value, cluster)};
  std::vector<DeviceId> all;
  for (const DeviceId device : cluster.devices()) all.push_back(device);
  return all;
}

void read_link(const JsonValue& value, Cluster& cluster, Channels& channels) {
  std::vector<DeviceId> sources, targets;
  bool both_ways = false;
  std::optional<Duration> startup;
  std::optional<double> bytes_per_second;
  std::optional<std::vector<ChannelId>> held;
  value.fields(
      required("from", [&](const JsonValue& v) { sources = ends_at(v, cluster); }),
      required("to", [&](const JsonValue& v) { targets = ends_at(v, cluster); }),
      optional("both_ways", [&](const JsonValue& v) { both_ways = v.boolean(); }),
      optional("startup_us", [&](const JsonValue& v) { startup = v.microseconds(); }),
      optional("bytes_per_second", [&](const JsonValue& v) { bytes_per_second = bandwidth(v); }),
      optional("channels", [&](const JsonValue& v) {
        held.emplace();
        v.each([&](const JsonValue& name) {
          const ChannelId channel = channels.at(name);
          if (std::ranges::find(*held, channel) != held->end()) name.fail("is named twice");
          held->push_back(channel);
        });
      }));
  if (sources.size() == 1 && sources == targets)
    value.fail("joins a device with itself, expected two devices");
  const auto set = [&](DeviceId from, DeviceId to) {
    if (from == to) return;
    if (startup) set_startup(cluster, from, to, *startup);
    if (bytes_per_second) set_bandwidth(cluster, from, to, *bytes_per_second);
    if (held) cluster.set_link_channels(from, to, *held);
  };
  for (const DeviceId from : sources)
    for (const DeviceId to : targets) {
      set(from, to);
      if (both_ways) set(to, from);
    }
}

void write_device(JsonWriter& json, const Device& device) {
  const Device plain;
  json.open_object();
  json.member("name", device.name);
  json.member("kind", to_string(device.kind));
  if (device.memory) json.member("memory", device.memory->count);
  if (device.flops_per_second != plain.flops_per_second)
    json.member("flops_per_second", device.flops_per_second);
  if (device.bytes_per_second != plain.bytes_per_second)
    json.member("bytes_per_second", device.bytes_per_second);
  if (device.launch != plain.launch) json.member("launch_us", device.launch.count());
  if (device.server != plain.server) json.member("server", device.server);
  if (device.piece_overhead != plain.piece_overhead)
    json.member("piece_overhead_us", device.piece_overhead.count());
  if (device.border_bytes_per_second != plain.border_bytes_per_second)
    json.member("border_bytes_per_second", device.border_bytes_per_second);
  json.close_object();
}

bool same_speed(const Link& a, const Link& b) {
  return a.startup == b.startup && a.bytes_per_second == b.bytes_per_second;
}

void write_speeds(JsonWriter& json, const Cluster& cluster, std::size_t indent) {
  const std::size_t count = cluster.device_count();
  if (count < 2) return;
  const Link& first = cluster.link(DeviceId{0}, DeviceId{1});
  bool all_equal = true;
  for_all_links(cluster, [&](DeviceId from, DeviceId to) {
    all_equal = all_equal && same_speed(first, cluster.link(from, to));
  });
  if (all_equal && same_speed(first, Link{})) return;
  json.line(indent);
  if (all_equal) {
    json.key("default_link");
    json.open_object();
    json.member("startup_us", first.startup.count());
    json.member("bytes_per_second", first.bytes_per_second);
    json.close_object();
    return;
  }
  const auto write_matrix = [&](const char* name, auto&& entry) {
    json.key(name);
    json.open_array();
    for (const DeviceId from : cluster.devices()) {
      json.open_array();
      for (const DeviceId to : cluster.devices())
        json.value(from == to ? 0.0 : entry(cluster.link(from, to)));
      json.close_array();
    }
    json.close_array();
  };
  json.key("link_matrix");
  json.open_object();
  write_matrix("startup_us", [](const Link& link) { return link.startup.count(); });
  write_matrix("bytes_per_second", [](const Link& link) { return link.bytes_per_second; });
  json.close_object();
}

// Nothing for the default, a channel per directed link; otherwise all channels by name.
void write_channels(JsonWriter& json, const Cluster& cluster, std::size_t indent) {
  std::vector<Device> devices;
  for (const DeviceId d : cluster.devices()) devices.push_back(cluster.device(d));
  const Cluster plain(devices);
  bool is_default = plain.channel_count() == cluster.channel_count();
  for (std::size_t i = 0; is_default && i < plain.channel_count(); ++i)
    is_default = plain.channel_name(static_cast<ChannelId>(i)) ==
                 cluster.channel_name(static_cast<ChannelId>(i));
  for_all_links(cluster, [&](DeviceId from, DeviceId to) {
    is_default = is_default && plain.link(from, to).channels == cluster.link(from, to).channels;
  });
  if (is_default) return;

  json.line(indent);
  json.member("contention", "none");
  if (cluster.channel_count() == 0) return;
  json.line(indent);
  json.key("channels");
  json.open_array();
  for (std::size_t i = 0; i < cluster.channel_count(); ++i)
    json.value(cluster.channel_name(static_cast<ChannelId>(i)));
  json.close_array();
  json.line(indent);
  json.key("links");
  json.open_array();
  for_all_links(cluster, [&](DeviceId from, DeviceId to) {
    const std::vector<ChannelId>& channels = cluster.link(from, to).channels;
    if (channels.empty()) return;
    json.line(indent + 1);
    json.open_object();
    json.member("from", cluster.device(from).name);
    json.member("to", cluster.device(to).name);
    json.key("channels");
    json.open_array();
    for (const ChannelId channel : channels) json.value(cluster.channel_name(channel));
    json.close_array();
    json.close_object();
  });
  json.close_array();
}

}  // namespace

DeviceId device_at(const JsonValue& name, const Cluster& cluster) {
  if (const auto device = cluster.find(std::string(name.text()))) return *device;
  std::string known;
  for (const DeviceId d : cluster.devices()) {
    if (index(d) == 8) {
      known += ", ...";
      break;
    }
    known += (known.empty() ? "" : ", ") + cluster.device(d).name;
  }
  name.expected("a device: " + known);
}

Cluster cluster_from(const JsonValue& value) {
  std::vector<Device> devices;
  std::optional<JsonValue> default_link, matrix, links, channel_names, network;
  std::string contention = "links";
  value.fields(
      optional("berth_devices", [&](const JsonValue& v) { v.integer_between(kVersion, kVersion); }),
      optional("comment", [](const JsonValue&) {}),
      required("devices",
               [&](const JsonValue& v) {
                 v.each([&](const JsonValue& device) { read_device(device, devices); });
                 if (devices.empty()) v.fail("is empty, expected at least one device");
               }),
      optional("default_link", [&](const JsonValue& v) { default_link = v; }),
      optional("link_matrix", [&](const JsonValue& v) { matrix = v; }),
      optional("links", [&](const JsonValue& v) { links = v; }),
      optional("channels", [&](const JsonValue& v) { channel_names = v; }),
      optional("network", [&](const JsonValue& v) { network = v; }),
      optional("contention", [&](const JsonValue& v) {
        contention = v.text();
        if (contention != "links" && contention != "bus" && contention != "none")
          v.expected("links, bus or none");
      }));

  Cluster cluster = in_file(value.file(), [&] { return Cluster(std::move(devices)); });
  if (contention == "none") cluster.set_uncontended();
  if (contention == "bus") cluster.set_shared_bus("bus");
  if (default_link)
    default_link->fields(optional("startup_us",
                                  [&](const JsonValue& v) {
                                    const Duration startup = v.microseconds();
                                    for_all_links(cluster, [&](DeviceId from, DeviceId to) {
                                      set_startup(cluster, from, to, startup);
                                    });
                                  }),
                         optional("bytes_per_second", [&](const JsonValue& v) {
                           const double bytes_per_second = bandwidth(v);
                           for_all_links(cluster, [&](DeviceId from, DeviceId to) {
                             set_bandwidth(cluster, from, to, bytes_per_second);
                           });
                         }));
  if (matrix)
    matrix->fields(optional("startup_us",
                            [&](const JsonValue& v) {
                              each_pair(v, cluster,
                                        [&](DeviceId from, DeviceId to, const JsonValue& entry) {
                                          set_startup(cluster, from, to, entry.microseconds());
                                        });
                            }),
                   optional("bytes_per_second", [&](const JsonValue& v) {
                     each_pair(v, cluster, [&](DeviceId from, DeviceId to, const JsonValue& entry) {
                       set_bandwidth(cluster, from, to, bandwidth(entry));
                     });
                   }));
  if (network) {
    Link wire;
    network->fields(
        optional("startup_us", [&](const JsonValue& v) { wire.startup = v.microseconds(); }),
        optional("bytes_per_second",
                 [&](const JsonValue& v) { wire.bytes_per_second = bandwidth(v); }));
    cluster.set_network(wire.startup, wire.bytes_per_second);
  }
  Channels channels(cluster);
  if (channel_names) channel_names->each([&](const JsonValue& name) { channels.at(name); });
  if (links) links->each([&](const JsonValue& link) { read_link(link, cluster, channels); });
  return cluster;
}

void write_cluster(JsonWriter& json, const Cluster& cluster, std::size_t indent) {
  json.key("devices");
  json.open_array();
  for (const DeviceId d : cluster.devices()) {
    json.line(indent + 1);
    write_device(json, cluster.device(d));
  }
  json.close_array();
  write_speeds(json, cluster, indent);
  if (cluster.network() != Link{}) {
    json.line(indent);
    json.key("network");
    json.open_object();
    json.member("startup_us", cluster.network().startup.count());
    json.member("bytes_per_second", cluster.network().bytes_per_second);
    json.close_object();
  }
  write_channels(json, cluster, indent);
}

Cluster parse_devices(std::string_view text, const std::string& file) {
  const JsonDocument document(text, file);
  return cluster_from(document.root());
}

Cluster find_cluster(const std::string& name_or_file) {
  if (const auto cluster = built_in_cluster(name_or_file)) return *cluster;
  if (std::filesystem::exists(name_or_file)) return read_devices(name_or_file);
  throw Error(fmt::format("--devices {}: neither a file nor a built-in cluster (local, {})",
                          name_or_file, listed(built_in_cluster_names())));
}

Cluster read_devices(const std::filesystem::path& path) {
  return parse_devices(read_text_file(path), path.string());
}

std::string write_devices(const Cluster& cluster) {
  JsonWriter json;
  json.open_object();
  json.member("berth_devices", std::int64_t{kVersion});
  json.line(1);
  write_cluster(json, cluster, 1);
  json.close_object();
  return std::move(json).finish();
}

}  // namespace berth
