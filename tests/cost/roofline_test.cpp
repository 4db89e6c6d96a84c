#include "berth/cost/roofline.h"

#include <string>

#include <doctest/doctest.h>

#include "berth/base/error.h"
#include "berth/cost/clusters.h"

using namespace berth;

namespace {

const Cluster kOne(
    {{.name = "d", .flops_per_second = 2e12, .bytes_per_second = 1e11, .launch = Duration{5}}});

}  // namespace

TEST_CASE("time is the larger of work and traffic, plus the launch") {
  GraphBuilder builder;
  const NodeId input = builder.add_node({.name = "input", .op_type = "Parameter"});
  const NodeId heavy = builder.add_node(
      {.name = "heavy", .op_type = "MatMul", .flops = 1e9, .weights = Bytes{1000}});
  const NodeId light = builder.add_node({.name = "light", .op_type = "Add", .flops = 10});
  const NodeId view = builder.add_node({.name = "view", .op_type = "Reshape"});
  builder.add_use(builder.add_tensor(input, {.size = Bytes{2000}}), heavy);
  builder.add_use(builder.add_tensor(heavy, {.size = Bytes{1000000}}), light);
  builder.add_use(builder.add_tensor(light, {.size = Bytes{3000000}}), view);
  const NodeTimes times = roofline_times(std::move(builder).build(), kOne);
  const DeviceId d{0};
  CHECK(times(input, d) == Duration{0});
  // 1e9 / (0.5 x 2e12) = 1000 us against 1003000 / 1e11 = 10.03 us.
  CHECK(times(heavy, d).count() == doctest::Approx(1005));
  // 4e6 bytes / 1e11 = 40 us.
  CHECK(times(light, d).count() == doctest::Approx(45));
  CHECK(times(view, d) == Duration{5});
}

TEST_CASE("a lookup reads the rows it gives back, not the whole table") {
  GraphBuilder builder;
  const NodeId lookup =
      builder.add_node({.name = "embed", .op_type = "Gather", .weights = Bytes{1000000000}});
  builder.add_tensor(lookup, {.size = Bytes{1000000}});
  const NodeTimes times = roofline_times(std::move(builder).build(), kOne);
  // 2 x 1e6 bytes / 1e11 = 20 us.
  CHECK(times(lookup, DeviceId{0}).count() == doctest::Approx(25));
}

TEST_CASE("a shared weight is read once, a sum of gradients is written and read once") {
  // Two users of a weight of 1e6 bytes, 10 us; their parts; the update, which holds no more.
  GraphBuilder builder;
  const NodeId weight =
      builder.add_node({.name = "weight", .op_type = "Constant", .weights = Bytes{1000000}});
  std::vector<NodeId> users, parts;
  for (const char* name : {"first", "second"})
    users.push_back(builder.add_node({.name = name, .op_type = "MatMul"}));
  for (const char* name : {"second part", "first part"})
    parts.push_back(builder.add_node({.name = name, .op_type = "MatMul"}));
  const NodeId update = builder.add_node({.name = "update", .op_type = "Update"});
  const TensorId shared =
      builder.add_tensor(weight, {.size = Bytes{1000000}, .role = TensorRole::kWeight});
  for (const NodeId user : users) builder.add_use(shared, user);
  for (const NodeId reader : {parts[1], update})
    builder.add_use(builder.add_tensor(reader == update ? parts[1] : parts[0],
                                       {.size = Bytes{1000000}, .role = TensorRole::kGradientSum}),
                    reader);
  const NodeTimes times = roofline_times(std::move(builder).build(), kOne);
  const auto micros = [&](NodeId node) { return times(node, DeviceId{0}).count(); };
  CHECK(micros(weight) == 0);
  CHECK(micros(users[0]) == doctest::Approx(15));
  CHECK(micros(users[1]) == doctest::Approx(5));
  CHECK(micros(parts[0]) == doctest::Approx(5));
  CHECK(micros(parts[1]) == doctest::Approx(15));
  CHECK(micros(update) == doctest::Approx(15));
}

TEST_CASE("a device without speeds cannot be estimated") {
  GraphBuilder builder;
  builder.add_node({.name = "a"});
  const Graph graph = std::move(builder).build();
  CHECK_THROWS_AS(roofline_times(graph, Cluster({{.name = "d", .flops_per_second = 1e12}})), Error);
}

TEST_CASE("every built-in cluster can be estimated on") {
  GraphBuilder builder;
  builder.add_node({.name = "a", .flops = 1e9});
  const Graph graph = std::move(builder).build();
  for (const std::string& name : built_in_cluster_names()) {
    const Cluster cluster = *built_in_cluster(name);
    const NodeTimes times = roofline_times(graph, cluster);
    for (const DeviceId d : cluster.devices()) CHECK(times(NodeId{0}, d) > Duration{5});
  }
}
