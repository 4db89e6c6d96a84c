#include "berth/cost/fit_roofline.h"

#include <limits>

#include <doctest/doctest.h>

#include "berth/base/error.h"
#include "berth/cost/roofline.h"

using namespace berth;

namespace {

// Two operators that run: 1e9 flops are 1000 us at half of 2e12 per second, twice per sample; 1e8
// flops are 100 us. Work: 2100 us, launches: 3.
Graph two_operators() {
  GraphBuilder builder;
  const NodeId input = builder.add_node({.name = "input", .op_type = "Parameter"});
  const NodeId heavy =
      builder.add_node({.name = "heavy", .op_type = "MatMul", .flops = 1e9, .frequency = 2});
  builder.add_node({.name = "light", .op_type = "MatMul", .flops = 1e8});
  builder.add_use(builder.add_tensor(input, {}), heavy);
  return std::move(builder).build();
}

Cluster one(DeviceKind kind) {
  return Cluster({{.name = "d",
                   .kind = kind,
                   .flops_per_second = 2e12,
                   .bytes_per_second = 1e11,
                   .launch = Duration{5}}});
}

Device fit(DeviceKind kind, double total) {
  const Duration totals[]{Duration{total}};
  const Graph graph = two_operators();
  const Cluster cluster = fit_roofline(graph, one(kind), totals);
  // Whatever was fitted, the total is met.
  const NodeTimes times = roofline_times(graph, cluster);
  double sum = 0;
  for (const NodeId node : graph.nodes())
    sum += graph.node(node).frequency * times(node, DeviceId{0}).count();
  CHECK(sum == doctest::Approx(total));
  return cluster.device(DeviceId{0});
}

}  // namespace

TEST_CASE("a CPU keeps its launch and gets the speed that meets the total") {
  const Device slower = fit(DeviceKind::kCpu, 4215);  // 3 x 5 + 2100 / 0.5
  CHECK(slower.launch == Duration{5});
  CHECK(slower.flops_per_second == doctest::Approx(1e12));
  CHECK(slower.bytes_per_second == doctest::Approx(0.5e11));
  CHECK(fit(DeviceKind::kCpu, 1065).flops_per_second == doctest::Approx(4e12));  // 15 + 2100 / 2
}

TEST_CASE("an accelerator keeps its speed and gets the launch that meets the total") {
  const Device slower = fit(DeviceKind::kGpu, 2400);  // 2100 + 3 x 100
  CHECK(slower.flops_per_second == 2e12);
  CHECK(slower.launch.count() == doctest::Approx(100));
  CHECK(fit(DeviceKind::kGpu, 2103).launch.count() == doctest::Approx(1));
}

TEST_CASE("an accelerator faster than its stated work gets another speed") {
  const Device faster = fit(DeviceKind::kGpu, 1065);
  CHECK(faster.launch == Duration{5});
  CHECK(faster.flops_per_second == doctest::Approx(4e12));
}

TEST_CASE("a total below the launches scales everything") {
  const Device tiny = fit(DeviceKind::kCpu, 2.115);  // a thousandth of 2115
  CHECK(tiny.launch.count() == doctest::Approx(0.005));
  CHECK(tiny.flops_per_second == doctest::Approx(2e15));
}

TEST_CASE("a total that is no time is refused") {
  for (const double total : {0.0, -1.0, std::numeric_limits<double>::infinity(),
                             std::numeric_limits<double>::quiet_NaN()}) {
    const Duration totals[]{Duration{total}};
    CHECK_THROWS_WITH_AS(fit_roofline(two_operators(), one(DeviceKind::kCpu), totals),
                         doctest::Contains("device d"), Error);
  }
}
