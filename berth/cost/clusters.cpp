#include "berth/cost/clusters.h"

#include <array>
#include <utility>

#include <fmt/format.h>

namespace berth {

namespace {

constexpr Bytes gibibytes(std::int64_t count) { return Bytes{count << 30}; }

// Single-precision peak as the vendor states it; memory bandwidth as measured where that is known.
Device k80(std::string name) {  // one of the two GPUs of a board
  return {.name = std::move(name),
          .kind = DeviceKind::kGpu,
          .memory = gibibytes(12),
          .flops_per_second = 2.8e12,
          .bytes_per_second = 240e9,
          .launch = Duration{5.7}};
}
Device p100(std::string name) {
  return {.name = std::move(name),
          .kind = DeviceKind::kGpu,
          .memory = gibibytes(16),
          .flops_per_second = 9.3e12,
          .bytes_per_second = 501e9,
          .launch = Duration{5}};
}
Device v100(std::string name) {
  return {.name = std::move(name),
          .kind = DeviceKind::kGpu,
          .memory = gibibytes(16),
          .flops_per_second = 14.0e12,
          .bytes_per_second = 739e9,
          .launch = Duration{5}};
}
Device rtx2080ti(std::string name) {
  return {.name = std::move(name),
          .kind = DeviceKind::kGpu,
          .memory = gibibytes(11),
          .flops_per_second = 11.75e12,
          .bytes_per_second = 524e9,
          .launch = Duration{5}};
}
Device flex170(std::string name) {
  return {.name = std::move(name),
          .kind = DeviceKind::kGpu,
          .memory = gibibytes(16),
          .flops_per_second = 16e12,
          .bytes_per_second = 576e9,
          .launch = Duration{5}};
}
Device server_cpu(std::string name) {
  return {.name = std::move(name),
          .kind = DeviceKind::kCpu,
          .memory = gibibytes(64),
          .flops_per_second = 1.2e12,
          .bytes_per_second = 60e9,
          .launch = Duration{1}};
}
Device i9(std::string name) {
  return {.name = std::move(name),
          .kind = DeviceKind::kCpu,
          .memory = gibibytes(64),
          .flops_per_second = 1.7e12,
          .bytes_per_second = 70e9,
          .launch = Duration{1}};
}

struct LinkSpeed {
  Duration startup;
  double bytes_per_second;
};

constexpr LinkSpeed kK80Server{Duration{25}, 7.6e9};  // Placeto's simulator
constexpr LinkSpeed kPcie3{Duration{10}, 12e9};
constexpr LinkSpeed kPcie4{Duration{10}, 24e9};
constexpr LinkSpeed kNvlink2{Duration{10}, 22e9};

Cluster joined(std::vector<Device> devices, LinkSpeed speed) {
  Cluster cluster(std::move(devices));
  for (const DeviceId from : cluster.devices())
    for (const DeviceId to : cluster.devices())
      if (from != to) cluster.set_link_speed(from, to, speed.startup, speed.bytes_per_second);
  return cluster;
}

// Every device has one queue for what it sends.
Cluster with_outgoing_queues(Cluster cluster) {
  cluster.set_uncontended();
  for (const DeviceId from : cluster.devices()) {
    const ChannelId queue = cluster.add_channel("out of " + cluster.device(from).name);
    for (const DeviceId to : cluster.devices())
      if (from != to) cluster.set_link_channels(from, to, {queue});
  }
  return cluster;
}

std::vector<Device> several(Device (*make)(std::string), int count) {
  std::vector<Device> devices;
  for (int i = 0; i < count; ++i) devices.push_back(make(fmt::format("gpu{}", i)));
  return devices;
}

struct Entry {
  const char* name;
  Cluster (*make)();
};

constexpr std::array kClusters{
    Entry{"cpu+gpu",
          [] {
            return joined({server_cpu("cpu"), rtx2080ti("gpu")}, kPcie3);
          }},
    Entry{"k80x2", [] { return with_outgoing_queues(joined(several(k80, 2), kK80Server)); }},
    Entry{"k80x4", [] { return with_outgoing_queues(joined(several(k80, 4), kK80Server)); }},
    Entry{"k80x8", [] { return with_outgoing_queues(joined(several(k80, 8), kK80Server)); }},
    Entry{"p100x2", [] { return with_outgoing_queues(joined(several(p100, 2), kPcie3)); }},
    Entry{"p100x4", [] { return with_outgoing_queues(joined(several(p100, 4), kPcie3)); }},
    Entry{"p100x8", [] { return with_outgoing_queues(joined(several(p100, 8), kPcie3)); }},
    Entry{"v100x4", [] { return joined(several(v100, 4), kNvlink2); }},
    Entry{"i9+flex170",
          [] {
            return joined({i9("cpu"), flex170("gpu")}, kPcie4);
          }},
};

}  // namespace

std::optional<Cluster> built_in_cluster(const std::string& name) {
  for (const Entry& entry : kClusters)
    if (name == entry.name) return entry.make();
  return std::nullopt;
}

std::vector<std::string> built_in_cluster_names() {
  std::vector<std::string> names;
  for (const Entry& entry : kClusters) names.emplace_back(entry.name);
  return names;
}

std::vector<std::string> device_names(const Cluster& cluster) {
  std::vector<std::string> names;
  for (const DeviceId device : cluster.devices()) names.push_back(cluster.device(device).name);
  return names;
}

}  // namespace berth
