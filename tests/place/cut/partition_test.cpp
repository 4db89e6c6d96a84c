// Tests of partition.h and of the two placers on it, min_cut.h and scotch.h.
#include "berth/place/cut/partition.h"

#include <algorithm>
#include <numeric>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "berth/base/error.h"
#include "berth/modules/build_config.h"
#include "berth/place/run_placer.h"
#include "berth/sim/evaluate.h"
#include "tests/support/fixtures.h"

namespace berth {
namespace {

std::vector<std::string> partitioners() {
  std::vector<std::string> specs;
  if (BERTH_HAS_METIS)
    for (const char* spec : {"min-cut", "min-cut(balance=memory)", "min-cut(weight=time)"})
      specs.emplace_back(spec);
  if (BERTH_HAS_SCOTCH) specs.emplace_back("scotch");
  return specs;
}

// Cliques of eight nodes, joined in a ring by one light edge each.
Problem cliques(std::size_t count, std::size_t devices, Costs costs = {},
                ExecutionModel model = {}) {
  constexpr std::size_t kSize = 8;
  GraphBuilder builder;
  std::vector<NodeId> nodes;
  for (std::size_t i = 0; i < count * kSize; ++i) nodes.push_back(builder.add_node({}));
  for (std::size_t i = 0; i < nodes.size(); ++i)
    for (std::size_t j = i + 1; j < nodes.size(); ++j) {
      const bool inside = i / kSize == j / kSize;
      if (!inside && !(j % kSize == 0 && j == i + 1)) continue;
      const TensorId tensor = builder.add_tensor(nodes[i], {.size = Bytes{inside ? 1000 : 10}});
      builder.add_use(tensor, nodes[j]);
    }
  std::vector<Device> list(devices);
  for (std::size_t d = 0; d < devices; ++d) list[d].name = "d" + std::to_string(d);
  if (costs.times.node_count() == 0) costs.times = NodeTimes(nodes.size(), devices, Duration{5});
  return Problem("cliques", std::move(builder).build(), Cluster(list), costs, {}, model);
}

}  // namespace

TEST_CASE("a partition graph counts each tensor once per pair of units, in both directions") {
  // a makes two tensors: one for b and c, one for b. b sends one back to a's partner d.
  GraphBuilder builder;
  const NodeId a = builder.add_node({}), b = builder.add_node({}), c = builder.add_node({}),
               d = builder.add_node({});
  const TensorId first = builder.add_tensor(a, {});
  builder.add_use(first, b);
  builder.add_use(first, c);
  builder.add_use(builder.add_tensor(a, {}), b);
  builder.add_use(builder.add_tensor(b, {}), d);
  Costs costs;
  costs.times = NodeTimes(4, 1);
  const Problem problem("four", std::move(builder).build(), Cluster({{.name = "x"}}), costs,
                        {.together = {{a, d}}});
  const AdditiveCost cost(problem);
  REQUIRE(cost.nets().size() == 3);
  const PartitionGraph graph =
      partition_graph(cost, std::vector<double>{2, 1, 1}, std::vector<double>{1, 2, 4});
  // Pairs: {a,d}-b weighs 1 + 2 + 4, {a,d}-c weighs 1; scaled to half of 1e9 in all.
  REQUIRE(graph.begin == std::vector<std::int32_t>{0, 2, 3, 4});
  CHECK(graph.edge_weight[0] == 437500000);
  CHECK(graph.edge_weight[1] == 62500000);
  CHECK(graph.vertex_weight == std::vector<std::int32_t>{500000000, 250000000, 250000000});
}

TEST_CASE("shares follow the speed of devices") {
  Costs costs;
  costs.times = NodeTimes(16, 2, Duration{1});
  for (std::uint32_t i = 0; i < 16; ++i) costs.times.set(NodeId{i}, DeviceId{1}, Duration{3});
  const Problem problem = cliques(2, 2, costs);
  const std::vector<DeviceId> devices{DeviceId{0}, DeviceId{1}};
  const std::vector<double> share = speed_shares(AdditiveCost(problem), devices);
  CHECK(share[0] == doctest::Approx(0.75));
  CHECK(share[1] == doctest::Approx(0.25));
}

TEST_CASE("cliques stay whole and parts are balanced") {
  for (const std::string& spec : partitioners()) {
    CAPTURE(spec);
    const Problem problem = cliques(4, 2);
    const Result result = run_placer(spec, problem, 3);
    REQUIRE(result.placement);
    std::size_t on_first = 0;
    for (std::uint32_t i = 0; i < 32; ++i) {
      const DeviceId device = result.placement->device_of[NodeId{i}];
      on_first += device == DeviceId{0};
      CHECK(device == result.placement->device_of[NodeId{i / 8 * 8}]);
    }
    CHECK(on_first == 16);
  }
}

TEST_CASE("one seed gives one partition") {
  Rng rng(4);
  for (const std::string& spec : partitioners()) {
    CAPTURE(spec);
    const Problem problem = cliques(9, 4);
    const Result first = run_placer(spec, problem, 5);
    run_placer(spec, problem, 6);  // must leave nothing behind
    const Result again = run_placer(spec, problem, 5);
    REQUIRE(first.placement);
    CHECK(first.placement == again.placement);
  }
}

TEST_CASE("partitioners obey the rules of every small problem, or say why not") {
  for (const std::string& spec : partitioners())
    for (const Problem& problem : fixtures::small_problems()) {
      CAPTURE(spec);
      CAPTURE(problem.name());
      const Result result = run_placer(spec, problem, 1);
      if (result.placement)
        CHECK(simulate(problem, *result.placement).feasible());
      else
        CHECK_FALSE(result.reason.empty());
    }
}

TEST_CASE("parts go to the devices where they run best") {
  // Two cliques; the first is fast on device 1, the second on device 0.
  Costs costs;
  costs.times = NodeTimes(16, 2, Duration{1});
  for (std::uint32_t i = 0; i < 16; ++i)
    costs.times.set(NodeId{i}, i < 8 ? DeviceId{0} : DeviceId{1}, Duration{50});
  for (const std::string& spec : partitioners()) {
    CAPTURE(spec);
    const Problem problem = cliques(2, 2, costs, Sequential{});
    const Result result = run_placer(spec, problem, 1);
    REQUIRE(result.placement);
    CHECK(result.simulation->value.count() == doctest::Approx(16));
  }
}

TEST_CASE("scotch gives CPUs of a call problem only what accelerators cannot run" *
          doctest::skip(!BERTH_HAS_SCOTCH)) {
  GraphBuilder builder;
  IdVector<TensorId, Duration> transfers;
  std::vector<NodeId> nodes;
  for (int i = 0; i < 12; ++i) nodes.push_back(builder.add_node({}));
  for (std::size_t i = 0; i + 1 < nodes.size(); ++i) {
    builder.add_use(builder.add_tensor(nodes[i], {}), nodes[i + 1]);
    transfers.push_back(Duration{1});
  }
  Costs costs;
  costs.times = NodeTimes(12, 3, Duration{4});
  costs.times.set(nodes[5], DeviceId{1}, kForever);
  costs.times.set(nodes[5], DeviceId{2}, kForever);
  costs.transfers = TransferTimes::per_tensor(transfers);
  const Problem problem(
      "call", std::move(builder).build(),
      Cluster({{.name = "cpu", .kind = DeviceKind::kCpu}, {.name = "a"}, {.name = "b"}}), costs, {},
      MaxLoad{.route = Route::kHost});
  const Result result = run_placer("scotch", problem, 1);
  REQUIRE(result.placement);
  for (const NodeId node : nodes)
    CHECK((result.placement->device_of[node] == DeviceId{0}) == (node == nodes[5]));
}

TEST_CASE("a build without a partitioner says so") {
  const Problem problem = cliques(1, 2);
  if (!BERTH_HAS_METIS)
    CHECK(run_placer("min-cut", problem).reason.find("lacks METIS") != std::string::npos);
  if (!BERTH_HAS_SCOTCH)
    CHECK(run_placer("scotch", problem).reason.find("lacks Scotch") != std::string::npos);
}

TEST_CASE("an imbalance that makes no sense is refused") {
  const Problem problem = cliques(1, 2);
  for (const char* spec : {"min-cut(imbalance=-1)", "min-cut(imbalance=0)", "scotch(imbalance=11)"})
    CHECK_THROWS_WITH_AS(run_placer(spec, problem), doctest::Contains("imbalance"), Error);
}

}  // namespace berth
