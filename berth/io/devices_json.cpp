#include "berth/io/devices_json.h"

#include "berth/cost/clusters.h"
#include "berth/io/files.h"
#include "berth/io/json_writer.h"
#include "berth/io/limits.h"
#include "berth/io/node_names.h"

namespace berth {
namespace {

constexpr int kVersion = 1;

// How fast a link, all links or the network are; what is not said stays as it is.
struct Speed {
  std::optional<Duration> startup{};
  std::optional<double> bytes_per_second{};
};

// Bandwidths below a byte per second would overflow times; null is an infinite one.
double bandwidth_at(const JsonValue& value) {
  return value.is_null() ? Link{}.bytes_per_second : value.number_between(1, 1e30);
}

Speed speed_at(const JsonValue& value) {
  Speed speed;
  value.fields(optional("startup_us", into(speed.startup, &JsonValue::microseconds)),
               optional("bytes_per_second", into(speed.bytes_per_second, bandwidth_at)));
  return speed;
}

void set_speed(Cluster& cluster, DeviceId from, DeviceId to, const Speed& speed) {
  const Link& link = cluster.link(from, to);
  cluster.set_link_speed(from, to, speed.startup.value_or(link.startup),
                         speed.bytes_per_second.value_or(link.bytes_per_second));
}

DeviceKind kind_at(const JsonValue& value) {
  value.text();  // whatever is no string is told so first
  return word_at<DeviceKind>(value);
}

// One entry of "devices", `count` times.
void read_device(const JsonValue& value, std::vector<Device>& devices) {
  Device device;
  std::optional<std::size_t> count;
  const auto speed = number_within(0, 1e30);
  value.fields(required("name", into(device.name, &JsonValue::text)),
               optional("kind", into(device.kind, kind_at)),
               optional("count", into(count, integer_within(1, kMostDevices))),
               optional("memory", unless_null(into(device.memory, &JsonValue::bytes))),
               optional("flops_per_second", into(device.flops_per_second, speed)),
               optional("bytes_per_second", into(device.bytes_per_second, speed)),
               optional("launch_us", into(device.launch, &JsonValue::microseconds)),
               optional("server", into(device.server, &JsonValue::text)),
               optional("piece_overhead_us", into(device.piece_overhead, &JsonValue::microseconds)),
               optional("border_bytes_per_second", [&](const JsonValue& v) {
                 device.border_bytes_per_second = speed(v);
                 if (device.border_bytes_per_second > 0 && device.border_bytes_per_second < 1)
                   v.expected("0, or at least 1");
               }));
  if (device.name.empty()) value.fail("the name is empty, expected one to show in results");
  if (devices.size() + count.value_or(1) > kMostDevices)
    value.fail("there are too many devices, expected at most {}", kMostDevices);
  if (!count) return devices.push_back(device);
  for (std::size_t i = 0; i < *count; ++i) {
    devices.push_back(device);
    devices.back().name += std::to_string(i);
  }
}

// Matrices [from][to], the diagonal ignored.
void read_link_matrix(const JsonValue& value, Cluster& cluster) {
  const auto read = [&](auto Speed::*part, auto part_at) {
    return [&cluster, part, part_at](const JsonValue& matrix) {
      each_pair(matrix, cluster.device_count(),
                [&](DeviceId from, DeviceId to, const JsonValue& entry) {
                  if (from == to) return;
                  Speed speed;
                  speed.*part = std::invoke(part_at, entry);
                  set_speed(cluster, from, to, speed);
                });
    };
  };
  value.fields(optional("startup_us", read(&Speed::startup, &JsonValue::microseconds)),
               optional("bytes_per_second", read(&Speed::bytes_per_second, bandwidth_at)));
}

// Channels by name, in the order in which they are first named.
class Channels {
 public:
  explicit Channels(Cluster& cluster) : cluster_(cluster) {
    for (const ChannelId channel : IdRange<ChannelId>(cluster.channel_count()))
      by_name_.emplace(cluster.channel_name(channel), channel);
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
  return {cluster.devices().begin(), cluster.devices().end()};
}

void read_link(const JsonValue& value, Cluster& cluster, Channels& channels) {
  std::vector<DeviceId> sources, targets;
  bool both_ways = false;
  Speed speed;
  std::optional<std::vector<ChannelId>> held;
  value.fields(required("from", [&](const JsonValue& v) { sources = ends_at(v, cluster); }),
               required("to", [&](const JsonValue& v) { targets = ends_at(v, cluster); }),
               optional("both_ways", into(both_ways, &JsonValue::boolean)),
               optional("startup_us", into(speed.startup, &JsonValue::microseconds)),
               optional("bytes_per_second", into(speed.bytes_per_second, bandwidth_at)),
               optional("channels", [&](const JsonValue& v) {
                 held.emplace();
                 v.each([&](const JsonValue& name) {
                   const ChannelId channel = channels.at(name);
                   if (std::ranges::find(*held, channel) != held->end())
                     name.fail("is named twice");
                   held->push_back(channel);
                 });
               }));
  if (sources.size() == 1 && sources == targets)
    value.fail("joins a device with itself, expected two devices");
  const auto set = [&](DeviceId from, DeviceId to) {
    if (from == to) return;
    set_speed(cluster, from, to, speed);
    if (held) cluster.set_link_channels(from, to, *held);
  };
  for (const DeviceId from : sources)
    for (const DeviceId to : targets) {
      set(from, to);
      if (both_ways) set(to, from);
    }
}

void write_device(JsonWriter& json, const Device& device) {
  json.member("name", device.name);
  json.member("kind", to_string(device.kind));
  if (device.memory) json.member("memory", *device.memory);
  json.member_unless("flops_per_second", device.flops_per_second, 0.0);
  json.member_unless("bytes_per_second", device.bytes_per_second, 0.0);
  json.member_unless("launch_us", device.launch.count(), 0.0);
  json.member_unless("server", device.server, std::string());
  json.member_unless("piece_overhead_us", device.piece_overhead.count(), 0.0);
  json.member_unless("border_bytes_per_second", device.border_bytes_per_second, 0.0);
}

bool same_speed(const Link& a, const Link& b) {
  return a.startup == b.startup && a.bytes_per_second == b.bytes_per_second;
}

void write_speed(JsonWriter& json, const char* name, const Link& link, std::size_t indent) {
  json.line(indent).object(name, [&] {
    json.member("startup_us", link.startup.count());
    json.member("bytes_per_second", link.bytes_per_second);
  });
}

void write_speeds(JsonWriter& json, const Cluster& cluster, std::size_t indent) {
  if (cluster.device_count() < 2) return;
  const Link& first = cluster.link(DeviceId{0}, DeviceId{1});
  bool all_equal = true;
  cluster.each_link([&](DeviceId from, DeviceId to) {
    all_equal = all_equal && same_speed(first, cluster.link(from, to));
  });
  if (all_equal && same_speed(first, Link{})) return;
  if (all_equal) return write_speed(json, "default_link", first, indent);
  const auto write_matrix = [&](const char* name, auto&& entry) {
    json.array(name, [&] {
      for (const DeviceId from : cluster.devices()) {
        json.open_array();
        for (const DeviceId to : cluster.devices())
          json.value(from == to ? 0.0 : entry(cluster.link(from, to)));
        json.close_array();
      }
    });
  };
  json.line(indent).object("link_matrix", [&] {
    write_matrix("startup_us", [](const Link& link) { return link.startup.count(); });
    write_matrix("bytes_per_second", [](const Link& link) { return link.bytes_per_second; });
  });
}

// The same devices, speeds and network, a channel for each directed link.
Cluster with_default_channels(const Cluster& cluster) {
  std::vector<Device> devices;
  for (const DeviceId d : cluster.devices()) devices.push_back(cluster.device(d));
  Cluster plain(std::move(devices));
  cluster.each_link([&](DeviceId from, DeviceId to) {
    const Link& link = cluster.link(from, to);
    plain.set_link_speed(from, to, link.startup, link.bytes_per_second);
  });
  plain.set_network(cluster.network().startup, cluster.network().bytes_per_second);
  return plain;
}

// Nothing for the default; otherwise all channels by name.
void write_channels(JsonWriter& json, const Cluster& cluster, std::size_t indent) {
  if (cluster == with_default_channels(cluster)) return;
  json.line(indent).member("contention", "none");
  if (cluster.channel_count() == 0) return;
  const auto name = [&](ChannelId channel) { return cluster.channel_name(channel); };
  json.line(indent).list("channels", IdRange<ChannelId>(cluster.channel_count()), name);
  json.line(indent).array("links", [&] {
    cluster.each_link([&](DeviceId from, DeviceId to) {
      const std::vector<ChannelId>& channels = cluster.link(from, to).channels;
      if (channels.empty()) return;
      json.line(indent + 1).object([&] {
        json.member("from", cluster.device(from).name);
        json.member("to", cluster.device(to).name);
        json.list("channels", channels, name);
      });
    });
  });
}

}  // namespace

DeviceId device_at(const JsonValue& name, const Cluster& cluster) {
  if (const auto device = cluster.find(std::string(name.text()))) return *device;
  constexpr std::size_t kShown = 8;
  std::vector<std::string> known;
  for (const DeviceId d : cluster.devices())
    if (index(d) < kShown) known.push_back(cluster.device(d).name);
  if (cluster.device_count() > kShown) known.push_back("...");
  name.expected("a device: {}", listed(known));
}

Cluster cluster_from(const JsonValue& value) {
  std::vector<Device> devices;
  Speed default_link, network;
  std::optional<JsonValue> matrix, links, channel_names;
  std::string contention = "links";
  value.fields(
      optional("berth_devices", [&](const JsonValue& v) { v.integer_between(kVersion, kVersion); }),
      optional("comment", [](const JsonValue&) {}),
      required("devices",
               [&](const JsonValue& v) {
                 v.each([&](const JsonValue& device) { read_device(device, devices); });
                 if (devices.empty()) v.fail("is empty, expected at least one device");
               }),
      optional("default_link", into(default_link, speed_at)), optional("link_matrix", into(matrix)),
      optional("links", into(links)), optional("channels", into(channel_names)),
      optional("network", into(network, speed_at)), optional("contention", [&](const JsonValue& v) {
        contention = v.text();
        if (!is_one_of(contention, {"links", "bus", "none"})) v.expected("links, bus or none");
      }));

  Cluster cluster = in_file(value.file(), [&] { return Cluster(std::move(devices)); });
  if (contention == "none") cluster.set_uncontended();
  if (contention == "bus") cluster.set_shared_bus("bus");
  cluster.each_link(
      [&](DeviceId from, DeviceId to) { set_speed(cluster, from, to, default_link); });
  if (matrix) read_link_matrix(*matrix, cluster);
  cluster.set_network(network.startup.value_or(Link{}.startup),
                      network.bytes_per_second.value_or(Link{}.bytes_per_second));
  Channels channels(cluster);
  if (channel_names) channel_names->each([&](const JsonValue& name) { channels.at(name); });
  if (links) links->each([&](const JsonValue& link) { read_link(link, cluster, channels); });
  return cluster;
}

void write_cluster(JsonWriter& json, const Cluster& cluster, std::size_t indent) {
  json.objects("devices", cluster.devices(), indent + 1,
               [&](DeviceId d) { write_device(json, cluster.device(d)); });
  write_speeds(json, cluster, indent);
  if (cluster.network() != Link{}) write_speed(json, "network", cluster.network(), indent);
  write_channels(json, cluster, indent);
}

Cluster parse_devices(std::string_view text, const std::string& file) {
  const JsonDocument document(text, file);
  return cluster_from(document.root());
}

Cluster find_cluster(const std::string& name_or_file) {
  if (const auto cluster = built_in_cluster(name_or_file)) return *cluster;
  if (std::filesystem::exists(name_or_file)) return read_devices(name_or_file);
  fail("--devices {}: neither a file nor a built-in cluster (local, {})", name_or_file,
       listed(built_in_cluster_names()));
}

Cluster read_devices(const std::filesystem::path& path) {
  return parse_devices(read_text_file(path), path.string());
}

std::string write_devices(const Cluster& cluster) {
  return json_object([&](JsonWriter& json) {
    json.member("berth_devices", kVersion);
    write_cluster(json.line(1), cluster, 1);
  });
}

}  // namespace berth
