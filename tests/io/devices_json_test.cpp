#include "berth/io/devices_json.h"

#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "berth/cost/clusters.h"
#include "tests/io/error_text.h"

using namespace berth;

namespace {

std::string error_in(const std::string& text) {
  return error_of([&] { parse_devices(text, "d.json"); });
}

}  // namespace

TEST_CASE("devices, defaults, single links and channels read as they are meant") {
  const Cluster cluster = parse_devices(R"({"devices": [
      {"name": "cpu", "kind": "cpu", "memory": 64000000000, "launch_us": 1.5},
      {"name": "gpu", "kind": "gpu", "count": 2, "memory": null, "flops_per_second": 1e12}],
    "default_link": {"startup_us": 10, "bytes_per_second": 12e9},
    "links": [{"from": "gpu0", "to": "gpu1", "both_ways": true, "bytes_per_second": 25e9},
              {"from": "cpu", "to": "*", "channels": ["host out"]},
              {"from": "gpu0", "to": "cpu", "startup_us": 20, "bytes_per_second": null}]})",
                                        "d.json");
  REQUIRE(cluster.device_count() == 3);
  const DeviceId cpu{0}, gpu0{1}, gpu1{2};
  CHECK(cluster.device(cpu).memory == Bytes{64000000000});
  CHECK(cluster.device(cpu).launch == Duration{1.5});
  CHECK(cluster.device(gpu1).name == "gpu1");
  CHECK(!cluster.device(gpu1).memory);
  CHECK(cluster.link(gpu0, gpu1).bytes_per_second == 25e9);
  CHECK(cluster.link(gpu1, gpu0).bytes_per_second == 25e9);
  CHECK(cluster.link(gpu1, gpu0).startup == Duration{10});
  CHECK(cluster.link(gpu1, cpu).bytes_per_second == 12e9);
  CHECK(transfer_time(Bytes{1000000}, cluster.link(gpu0, cpu)) == Duration{20});
  CHECK(cluster.link(cpu, gpu0).channels == cluster.link(cpu, gpu1).channels);
  CHECK(cluster.link(gpu0, gpu1).channels != cluster.link(gpu1, gpu0).channels);
}

TEST_CASE("a full matrix is directed") {
  const Cluster cluster =
      parse_devices(R"({"devices": [{"name": "a"}, {"name": "b"}], "contention": "bus",
    "link_matrix": {"startup_us": [[0, 1], [2, 0]], "bytes_per_second": [[null, 3e9], [null, null]]}})",
                    "d.json");
  CHECK(cluster.link(DeviceId{0}, DeviceId{1}).startup == Duration{1});
  CHECK(cluster.link(DeviceId{1}, DeviceId{0}).startup == Duration{2});
  CHECK(cluster.link(DeviceId{0}, DeviceId{1}).bytes_per_second == 3e9);
  CHECK(cluster.channel_count() == 1);
}

TEST_CASE("what pieces cost beyond their nodes is read, and nonsense is refused") {
  const Cluster cluster = parse_devices(
      R"({"devices": [{"name": "a", "piece_overhead_us": 50, "border_bytes_per_second": 2e9}]})",
      "d.json");
  CHECK(cluster.device(DeviceId{0}).piece_overhead == Duration{50});
  CHECK(cluster.device(DeviceId{0}).border_bytes_per_second == 2e9);
  CHECK(error_in(R"({"devices": [{"name": "a", "border_bytes_per_second": 0.5}]})")
            .find("0, or at least 1") != std::string::npos);
}

TEST_CASE("clusters come back the same") {
  std::vector<Cluster> clusters;
  clusters.push_back(Cluster(
      {{.name = "pieces", .piece_overhead = Duration{57.25}, .border_bytes_per_second = 2.8e9}}));
  for (const std::string& name : built_in_cluster_names())
    clusters.push_back(*built_in_cluster(name));
  Cluster bus({{.name = "a"}, {.name = "b"}, {.name = "c", .memory = Bytes{0}}});
  bus.set_shared_bus("the bus");
  clusters.push_back(bus);
  Cluster free({{.name = "a"}, {.name = "b"}});
  free.set_uncontended();
  clusters.push_back(free);
  clusters.push_back(Cluster({{.name = "only"}}));
  for (const Cluster& cluster : clusters)
    CHECK(parse_devices(write_devices(cluster), "d.json") == cluster);
}

TEST_CASE("mistakes in a devices file are named with their place") {
  CHECK(error_in("{}") == "d.json: the document has no field \"devices\", expected one");
  CHECK(error_in(R"({"devices": []})") ==
        "d.json: devices: is empty, expected at least one device");
  CHECK(error_in(R"({"devices": [{"name": "a", "kind": "tpu"}]})") ==
        "d.json: devices[0].kind is the string \"tpu\", expected cpu, gpu, npu or accelerator");
  CHECK(error_in(R"({"devices": [{"name": "a"}, {"name": "a"}]})")
            .find("two devices are named 'a'") != std::string::npos);
  CHECK(error_in(R"({"devices": [{"name": "a", "memory": -1}]})")
            .starts_with("d.json: devices[0].memory is the number -1, expected a size in bytes"));
  CHECK(
      error_in(
          R"({"devices": [{"name": "a"}, {"name": "b"}], "links": [{"from": "a", "to": "c"}]})") ==
      "d.json: links[0].to is the string \"c\", expected a device: a, b");
  CHECK(error_in(R"({"devices": [{"name": "a"}], "links": [{"from": "a", "to": "a"}]})") ==
        "d.json: links[0]: joins a device with itself, expected two devices");
  CHECK(
      error_in(
          R"({"devices": [{"name": "a"}, {"name": "b"}], "default_link": {"bytes_per_second": 0}})")
          .starts_with(
              "d.json: default_link.bytes_per_second is the number 0, expected a number from 1"));
  CHECK(error_in(R"({"devices": [{"name": "a", "count": 150}, {"name": "b", "count": 150}]})")
            .find("too many devices") != std::string::npos);
  CHECK(
      error_in(
          R"({"devices": [{"name": "a"}, {"name": "b"}], "link_matrix": {"startup_us": [[0, 1]]}})") ==
      "d.json: link_matrix.startup_us: has 1 entries, expected 2, one per device");
}

TEST_CASE("servers and the network between them survive the file") {
  Cluster cluster(
      {{.name = "a", .server = "left"}, {.name = "b", .server = "right"}, {.name = "c"}});
  cluster.set_network(Duration{3}, 1e9);
  const Cluster again = parse_devices(write_devices(cluster), "devices.json");
  CHECK(again == cluster);
  CHECK(again.servers().names == std::vector<std::string>{"left", "right", ""});
  CHECK(parse_devices(R"({"devices": [{"name": "a"}], "network": {"bytes_per_second": null}})",
                      "d.json") == Cluster({{.name = "a"}}));
  CHECK_THROWS_WITH_AS(
      parse_devices(R"({"devices": [{"name": "a"}], "network": {"bytes_per_second": 0}})",
                    "d.json"),
      doctest::Contains("network.bytes_per_second"), Error);
}
