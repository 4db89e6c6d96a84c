#include "berth/cost/clusters.h"

#include <string>

#include <doctest/doctest.h>

#include "berth/base/error.h"

using namespace berth;

TEST_CASE("the number in a name is the number of GPUs") {
  for (const auto& [name, count] : {std::pair{"k80x2", 2},
                                    {"k80x4", 4},
                                    {"k80x8", 8},
                                    {"p100x2", 2},
                                    {"p100x4", 4},
                                    {"p100x8", 8},
                                    {"v100x4", 4}}) {
    const Cluster cluster = built_in_cluster(name).value();
    CHECK(cluster.device_count() == static_cast<std::size_t>(count));
    for (const DeviceId d : cluster.devices()) CHECK(cluster.device(d).kind == DeviceKind::kGpu);
  }
}

TEST_CASE("hosts come first where there is one") {
  for (const char* name : {"cpu+gpu", "i9+flex170"}) {
    const Cluster cluster = built_in_cluster(name).value();
    REQUIRE(cluster.device_count() == 2);
    CHECK(cluster.host() == DeviceId{0});
    CHECK(cluster.device(DeviceId{1}).flops_per_second >
          cluster.device(DeviceId{0}).flops_per_second);
  }
}

TEST_CASE("links as TensorFlow drives them change nothing but the links: 134 us and 5.7 GB/s") {
  for (const char* name : {"k80x2", "k80x4", "k80x8", "p100x2", "p100x4", "p100x8"}) {
    const Cluster plain = built_in_cluster(name).value();
    const Cluster slow = built_in_cluster(std::string(name) + "-tf").value();
    REQUIRE(slow.device_count() == plain.device_count());
    for (const DeviceId d : plain.devices()) CHECK(slow.device(d) == plain.device(d));
    const Link& link = slow.link(DeviceId{0}, DeviceId{1});
    CHECK(link.startup == Duration{134});
    CHECK(link.bytes_per_second == 5.7e9);
    CHECK(link.channels == plain.link(DeviceId{0}, DeviceId{1}).channels);
  }
}

TEST_CASE("a GPU of a K80 server sends one tensor at a time, at 25 us and 7.6 GB/s") {
  const Cluster cluster = built_in_cluster("k80x4").value();
  const DeviceId a{0}, b{1}, c{2};
  CHECK(cluster.link(a, b).channels == cluster.link(a, c).channels);
  CHECK(cluster.link(a, b).channels != cluster.link(b, a).channels);
  CHECK(cluster.channel_count() == 4);
  CHECK(transfer_time(Bytes{7600000}, cluster.link(a, b)).count() == doctest::Approx(1025));
}

TEST_CASE("wires of a V100 server are point to point") {
  const Cluster cluster = built_in_cluster("v100x4").value();
  CHECK(cluster.link(DeviceId{0}, DeviceId{1}).channels !=
        cluster.link(DeviceId{0}, DeviceId{2}).channels);
}

TEST_CASE("unknown names are no cluster; this machine is known to a runtime only") {
  CHECK(!built_in_cluster("k80x3"));
  CHECK(built_in_cluster_names().size() == 15);
  CHECK(!built_in_cluster("local"));
}
