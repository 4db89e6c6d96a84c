#include "berth/cost/change_cluster.h"

#include <doctest/doctest.h>

#include "berth/base/error.h"

using namespace berth;

namespace {

// Two GPUs of 1000 bytes and a CPU without a limit.
Cluster three_devices() {
  return Cluster({{.name = "gpu0", .kind = DeviceKind::kGpu, .memory = Bytes{1000}},
                  {.name = "gpu1", .kind = DeviceKind::kGpu, .memory = Bytes{1000}},
                  {.name = "cpu", .kind = DeviceKind::kCpu}});
}

std::int64_t memory(const Cluster& cluster, std::size_t device) {
  return cluster.device(static_cast<DeviceId>(device)).memory.value().count;
}

}  // namespace

TEST_CASE("memory is reserved by share or by amount, on one device or on each") {
  const ReservedCluster one = reserve_memory(three_devices(), {"gpu0=10%", "gpu1=100B"});
  CHECK(memory(one.cluster, 0) == 900);
  CHECK(memory(one.cluster, 1) == 900);
  CHECK(one.warnings.empty());
  const ReservedCluster each = reserve_memory(three_devices(), {"50%", "gpu1=0.1KB"});
  CHECK(memory(each.cluster, 0) == 500);
  CHECK(memory(each.cluster, 1) == 400);
  CHECK(each.warnings ==
        std::vector<std::string>{"--reserve 50%: cpu has no memory limit, nothing is reserved"});
}

TEST_CASE("a reservation that is not understood, of no device or too large says so") {
  const auto reserve = [](const char* request) { reserve_memory(three_devices(), {request}); };
  CHECK_THROWS_WITH_AS(reserve("gpu0=lots"),
                       "--reserve gpu0=lots: expected DEVICE=10% or DEVICE=2GiB", Error);
  CHECK_THROWS_WITH_AS(reserve("gpu7=1%"),
                       "--reserve gpu7=1%: no device is called 'gpu7'; there are gpu0, gpu1, cpu",
                       Error);
  CHECK_THROWS_WITH_AS(reserve("gpu0=1KiB"), "--reserve gpu0=1KiB: gpu0 has only 1000 B", Error);
}

TEST_CASE("a cluster without limits has the same devices otherwise") {
  const Cluster free = without_limits(three_devices());
  for (const DeviceId device : free.devices()) CHECK_FALSE(free.device(device).memory);
  CHECK(free.device(DeviceId{2}) == three_devices().device(DeviceId{2}));
}

TEST_CASE("accelerators and CPUs are each divided among the servers in their order") {
  const Cluster two = in_servers(three_devices(), 2);
  CHECK(two.device(DeviceId{0}).server == "server0");
  CHECK(two.device(DeviceId{1}).server == "server1");
  CHECK(two.device(DeviceId{2}).server == "server0");  // the only CPU
  CHECK_THROWS_WITH_AS(in_servers(three_devices(), 4),
                       "--servers 4: there are only 3 devices to divide", Error);
}
