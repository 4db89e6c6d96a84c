#include "berth/cost/devices.h"

#include <set>

#include <doctest/doctest.h>

#include "berth/base/error.h"

using namespace berth;

namespace {

Device named(const std::string& name, DeviceKind kind = DeviceKind::kGpu) {
  Device device;
  device.name = name;
  device.kind = kind;
  return device;
}

Cluster three() { return Cluster({named("g0"), named("cpu", DeviceKind::kCpu), named("g1")}); }

}  // namespace

TEST_CASE("a transfer takes startup plus bytes over bandwidth") {
  // 5 us + 3000 bytes / (1e9 bytes per second) = 5 + 3 us.
  CHECK(
      transfer_time(Bytes{3000}, {.startup = Duration{5}, .bytes_per_second = 1e9, .channels = {}})
          .count() == doctest::Approx(8));
  CHECK(transfer_time(Bytes{3000}, Link{}) == Duration{0});
}

TEST_CASE("a new cluster has free links, each a channel of its own") {
  const Cluster cluster = three();
  CHECK(cluster.device_count() == 3);
  CHECK(cluster.channel_count() == 6);
  std::set<ChannelId> seen;
  for (const DeviceId a : cluster.devices())
    for (const DeviceId b : cluster.devices()) {
      if (a == b) continue;
      const Link& link = cluster.link(a, b);
      CHECK(transfer_time(Bytes{1 << 30}, link) == Duration{0});
      REQUIRE(link.channels.size() == 1);
      CHECK(seen.insert(link.channels[0]).second);
    }
}

TEST_CASE("devices are found by name and the host is the first CPU") {
  const Cluster cluster = three();
  CHECK(cluster.find("g1") == DeviceId{2});
  CHECK_FALSE(cluster.find("g2"));
  CHECK(cluster.host() == DeviceId{1});
  CHECK_FALSE(Cluster({named("g0")}).host());
}

TEST_CASE("speed and channels of a link are set apart from each other") {
  Cluster cluster = three();
  const std::vector<ChannelId> own = cluster.link(DeviceId{0}, DeviceId{1}).channels;
  cluster.set_link_speed(DeviceId{0}, DeviceId{1}, Duration{7}, 2e6);
  CHECK(cluster.link(DeviceId{0}, DeviceId{1}).channels == own);
  CHECK(transfer_time(Bytes{4}, cluster.link(DeviceId{0}, DeviceId{1})).count() ==
        doctest::Approx(9));
  CHECK(transfer_time(Bytes{4}, cluster.link(DeviceId{1}, DeviceId{0})) == Duration{0});
  const ChannelId bus = cluster.add_channel("bus");
  CHECK(cluster.channel_name(bus) == "bus");
  cluster.set_link_channels(DeviceId{0}, DeviceId{1}, {bus});
  CHECK(cluster.link(DeviceId{0}, DeviceId{1}).channels == std::vector{bus});
  CHECK(cluster.link(DeviceId{0}, DeviceId{1}).startup == Duration{7});
}

TEST_CASE("a shared bus is one channel for all links, uncontended is none") {
  Cluster cluster = three();
  cluster.set_shared_bus("pcie");
  std::set<ChannelId> seen;
  for (const DeviceId a : cluster.devices())
    for (const DeviceId b : cluster.devices())
      if (a != b)
        for (const ChannelId channel : cluster.link(a, b).channels) seen.insert(channel);
  REQUIRE(seen.size() == 1);
  CHECK(cluster.channel_name(*seen.begin()) == "pcie");
  cluster.set_uncontended();
  for (const DeviceId a : cluster.devices())
    for (const DeviceId b : cluster.devices())
      if (a != b) CHECK(cluster.link(a, b).channels.empty());
}

TEST_CASE("a cluster without devices, without names or with twins is rejected") {
  CHECK_THROWS_AS(Cluster(std::vector<Device>{}), Error);
  CHECK_THROWS_AS(Cluster({named("a"), named("")}), Error);
  CHECK_THROWS_WITH_AS(Cluster({named("same"), named("same")}), doctest::Contains("same"), Error);
}

TEST_CASE("kinds have words and words have kinds") {
  for (const DeviceKind kind :
       {DeviceKind::kCpu, DeviceKind::kGpu, DeviceKind::kNpu, DeviceKind::kAccelerator})
    CHECK(enum_value<DeviceKind>(to_string(kind)) == kind);
  CHECK_FALSE(enum_value<DeviceKind>("toaster"));
  CHECK(named("x", DeviceKind::kCpu).is_host());
  CHECK_FALSE(named("x", DeviceKind::kNpu).is_host());
}
