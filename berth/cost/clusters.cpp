#include "berth/cost/clusters.h"

#include <fmt/format.h>

namespace berth {
namespace {

// Single-precision peak as the vendor states it; memory bandwidth as measured where that is known.
struct Model {
  DeviceKind kind;
  std::int64_t gibibytes;
  double flops_per_second, bytes_per_second;
  Duration launch;
};

constexpr Model kK80{DeviceKind::kGpu, 12, 2.8e12, 240e9, Duration{5.7}};  // half of a board
constexpr Model kP100{DeviceKind::kGpu, 16, 9.3e12, 501e9, Duration{5}};
constexpr Model kV100{DeviceKind::kGpu, 16, 14.0e12, 739e9, Duration{5}};
constexpr Model kRtx2080Ti{DeviceKind::kGpu, 11, 11.75e12, 524e9, Duration{5}};
constexpr Model kFlex170{DeviceKind::kGpu, 16, 16e12, 576e9, Duration{5}};
constexpr Model kServerCpu{DeviceKind::kCpu, 64, 1.2e12, 60e9, Duration{1}};
constexpr Model kI9{DeviceKind::kCpu, 64, 1.7e12, 70e9, Duration{1}};

Device device(std::string name, const Model& model) {
  return {.name = std::move(name),
          .kind = model.kind,
          .memory = Bytes{model.gibibytes << 30},
          .flops_per_second = model.flops_per_second,
          .bytes_per_second = model.bytes_per_second,
          .launch = model.launch};
}

struct LinkSpeed {
  Duration startup;
  double bytes_per_second;
};

constexpr LinkSpeed kK80Server{Duration{25}, 7.6e9};    // Placeto's simulator
constexpr LinkSpeed kTensorflow{Duration{134}, 5.7e9};  // measured with version 1.12
constexpr LinkSpeed kPcie3{Duration{10}, 12e9};
constexpr LinkSpeed kPcie4{Duration{10}, 24e9};
constexpr LinkSpeed kNvlink2{Duration{10}, 22e9};

Cluster joined(std::vector<Device> devices, LinkSpeed speed) {
  Cluster cluster(std::move(devices));
  cluster.each_link([&](DeviceId from, DeviceId to) {
    cluster.set_link_speed(from, to, speed.startup, speed.bytes_per_second);
  });
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

Cluster cpu_and_gpu(const Model& cpu, const Model& gpu, LinkSpeed speed) {
  return joined({device("cpu", cpu), device("gpu", gpu)}, speed);
}

Cluster gpus(int count, const Model& model, LinkSpeed speed) {
  std::vector<Device> devices;
  for (int i = 0; i < count; ++i) devices.push_back(device(fmt::format("gpu{}", i), model));
  return joined(std::move(devices), speed);
}

struct Entry {
  const char* name;
  Cluster (*make)();
};

constexpr std::array kClusters{
    Entry{"cpu+gpu", [] { return cpu_and_gpu(kServerCpu, kRtx2080Ti, kPcie3); }},
    Entry{"k80x2", [] { return with_outgoing_queues(gpus(2, kK80, kK80Server)); }},
    Entry{"k80x4", [] { return with_outgoing_queues(gpus(4, kK80, kK80Server)); }},
    Entry{"k80x8", [] { return with_outgoing_queues(gpus(8, kK80, kK80Server)); }},
    Entry{"p100x2", [] { return with_outgoing_queues(gpus(2, kP100, kPcie3)); }},
    Entry{"p100x4", [] { return with_outgoing_queues(gpus(4, kP100, kPcie3)); }},
    Entry{"p100x8", [] { return with_outgoing_queues(gpus(8, kP100, kPcie3)); }},
    Entry{"k80x2-tf", [] { return with_outgoing_queues(gpus(2, kK80, kTensorflow)); }},
    Entry{"k80x4-tf", [] { return with_outgoing_queues(gpus(4, kK80, kTensorflow)); }},
    Entry{"k80x8-tf", [] { return with_outgoing_queues(gpus(8, kK80, kTensorflow)); }},
    Entry{"p100x2-tf", [] { return with_outgoing_queues(gpus(2, kP100, kTensorflow)); }},
    Entry{"p100x4-tf", [] { return with_outgoing_queues(gpus(4, kP100, kTensorflow)); }},
    Entry{"p100x8-tf", [] { return with_outgoing_queues(gpus(8, kP100, kTensorflow)); }},
    Entry{"v100x4", [] { return gpus(4, kV100, kNvlink2); }},
    Entry{"i9+flex170", [] { return cpu_and_gpu(kI9, kFlex170, kPcie4); }},
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
