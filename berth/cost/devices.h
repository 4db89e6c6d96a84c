// The machines: devices, their memory, and the links between them.
//
// Moving b bytes from device x to device y takes  startup(x,y) + b / bandwidth(x,y).  Links are
// directed and may be asymmetric. A transfer holds every channel of its link while it runs, and a
// channel carries one transfer at a time: give each link a channel of its own for point-to-point
// wires, let several links name one channel for a bus or for "everything passes through host
// memory", and give a link no channel at all for wires that are never contended.
//
// Devices may stand in servers, each with a host memory of its own, joined by a network that is
// slower than what is inside them. A server sends and receives over one wire of that network; which
// models count it is said there (sim/loads.h). The others take the links between devices as they
// are.
#pragma once

#include "berth/base/enum_words.h"
#include "berth/base/ids.h"
#include "berth/base/units.h"

namespace berth {

enum class DeviceKind : std::uint8_t { kCpu, kGpu, kNpu, kAccelerator };
template <>
struct OptionNames<DeviceKind> {
  static constexpr std::array values{
      std::pair{"cpu", DeviceKind::kCpu}, std::pair{"gpu", DeviceKind::kGpu},
      std::pair{"npu", DeviceKind::kNpu}, std::pair{"accelerator", DeviceKind::kAccelerator}};
};

struct Device {
  std::string name;
  DeviceKind kind = DeviceKind::kAccelerator;
  std::optional<Bytes> memory;  // empty: no limit
  double flops_per_second = 0;  // roofline peak; 0: unknown
  double bytes_per_second = 0;  // roofline memory bandwidth; 0: unknown
  Duration launch{0};           // fixed cost of starting one operator (roofline only)
  std::string server = {};      // the machine it is in; empty is a name like any other
  // Execution in pieces (sim/piece_execution.h): what a piece costs beyond its nodes.
  Duration piece_overhead{0};          // of each piece
  double border_bytes_per_second = 0;  // images converted at its border; 0: they cost nothing

  bool is_host() const { return kind == DeviceKind::kCpu; }
  friend bool operator==(const Device&, const Device&) = default;
};

struct Link {
  Duration startup{0};
  double bytes_per_second = std::numeric_limits<double>::infinity();
  std::vector<ChannelId> channels;  // held while a transfer runs; empty: never contended

  friend bool operator==(const Link&, const Link&) = default;
};

Duration transfer_time(Bytes size, const Link& link);

// The servers of a cluster, in the order of their first devices.
struct Servers {
  std::vector<std::string> names;
  IdVector<DeviceId, std::size_t> of;  // the number of each device's server
  std::size_t count() const { return names.size(); }
};

class Cluster {
 public:
  Cluster() = default;
  // Free links of infinite bandwidth between all devices, each directed link a channel of its own.
  // Throws Error on an empty list, a duplicate or empty name.
  explicit Cluster(std::vector<Device> devices);

  std::size_t device_count() const { return devices_.size(); }
  IdRange<DeviceId> devices() const { return IdRange<DeviceId>(device_count()); }
  const Device& device(DeviceId device) const { return devices_[device]; }
  std::optional<DeviceId> find(const std::string& name) const;
  // The device that stands for host memory: the first CPU.
  std::optional<DeviceId> host() const;
  // The same for the device's own server: its first CPU, or that of the cluster if it has none.
  std::optional<DeviceId> host_of(DeviceId device) const;
  bool only_cpus() const;

  const Link& link(DeviceId from, DeviceId to) const {
    return links_[index(from) * device_count() + index(to)];
  }
  // Calls visit(from, to) for each ordered pair of two devices.
  template <class Visit>
  void each_link(Visit&& visit) const {
    for (const DeviceId from : devices())
      for (const DeviceId to : devices())
        if (from != to) visit(from, to);
  }
  Servers servers() const;
  // What every server is joined to the others by; its channels mean nothing.
  const Link& network() const { return network_; }
  std::size_t channel_count() const { return channel_names_.size(); }
  const std::string& channel_name(ChannelId channel) const { return channel_names_[channel]; }

  // Building blocks. A link keeps its channels when only its speed is set.
  ChannelId add_channel(std::string name);
  void set_device(DeviceId device, Device value);
  // Calls change(device) for each and checks what it made of it.
  template <class Change>
  void change_devices(Change&& change) {
    for (const DeviceId id : devices()) {
      Device device = devices_[id];
      change(device);
      set_device(id, std::move(device));
    }
  }
  void set_link_speed(DeviceId from, DeviceId to, Duration startup, double bytes_per_second);
  void set_link_channels(DeviceId from, DeviceId to, std::vector<ChannelId> channels);
  void set_network(Duration startup, double bytes_per_second);
  void set_uncontended();                        // no link has a channel
  void set_shared_bus(const std::string& name);  // all links share one channel

  friend bool operator==(const Cluster&, const Cluster&) = default;

 private:
  IdVector<DeviceId, Device> devices_;
  std::vector<Link> links_;
  Link network_;
  IdVector<ChannelId, std::string> channel_names_;
};

}  // namespace berth
