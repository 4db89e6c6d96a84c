#include "berth/learn/rollouts.h"

#include <doctest/doctest.h>

#include "tests/support/sketch.h"

namespace berth {
namespace {

// Four nodes in a row; the second device may not run the last.
PolicyGraph row_of_four() {
  Sketch sketch("row", 2, 1);
  NodeId last = sketch.node("a", {1, 1});
  for (const char* name : {"b", "c", "d"}) {
    const NodeId next = sketch.node(name, {1, 1});
    sketch.tensor(last, 10, {next});
    last = next;
  }
  PolicyGraph graph = policy_graph(sketch.build(), Colocation::kUnits);
  graph.allowed[3 * 2 + 1] = 0;
  return graph;
}

TEST_CASE("groups that several rollouts share are kept once, each decision about them is its own") {
  const PolicyGraph graph = row_of_four();
  Rollouts rollouts(graph, false, true);
  rollouts.add({{0, 0, 1, 1}, 2}, {});
  rollouts.add({{0, 0, 1, 2}, 3}, {});
  CHECK(rollouts.count() == 2);
  CHECK(rollouts.decisions() == 5);
  CHECK(rollouts.members == std::vector<SetGroup>{{0, 1}, {2, 3}, {2}, {3}});
  CHECK(rollouts.group_of_decision == std::vector<std::int64_t>{0, 1, 0, 2, 3});
  CHECK(rollouts.rollout_of == std::vector<std::int64_t>{0, 0, 1, 1, 1});
  rollouts.set_devices(std::vector<std::int64_t>{1, 0, 0, 1, 0});
  CHECK(rollouts.placements == std::vector<SetDevices>{{1, 1, 0, 0}, {0, 0, 1, 0}});
}

TEST_CASE("rollouts with encodings of their own share nothing") {
  const PolicyGraph graph = row_of_four();
  Rollouts all(graph, true, true);
  for (int i = 0; i < 2; ++i) {
    Rollouts one(graph, true, true);
    one.add({{0, 0, 0, 0}, 1}, {});
    one.set_devices(std::vector<std::int64_t>{0});
    all.append(one);
  }
  CHECK(all.groups() == 2);
  CHECK(all.rows() == 8);
  CHECK(all.first_row == std::vector<std::int64_t>{0, 4});
  CHECK(all.group_of_decision == std::vector<std::int64_t>{0, 1});
}

TEST_CASE("of a part only the nodes of the region are decided about") {
  const PolicyGraph graph = row_of_four();
  const SetDevices base{0, 1, 0, 0};
  Rollouts rollouts(graph, false, true);
  rollouts.add_part({{0, 1, 1, 2}, 3}, {}, SetGroup{2, 1}, base);
  rollouts.add_part({{0, 1, 2, 3}, 4}, {}, SetGroup{0, 1}, base);
  CHECK(rollouts.members == std::vector<SetGroup>{{1, 2}, {0}, {1}});
  CHECK(rollouts.rollout_of == std::vector<std::int64_t>{0, 1, 1});
  rollouts.set_devices(std::vector<std::int64_t>{1, 1, 0});
  CHECK(rollouts.placements == std::vector<SetDevices>{{0, 1, 1, 0}, {1, 0, 0, 0}});
}

TEST_CASE("nodes that no device may run together stay alone") {
  PolicyGraph graph = row_of_four();
  graph.allowed[0 * 2 + 0] = 0;  // the first node needs the second device, the last one the first
  Rollouts rollouts(graph, false, true);
  rollouts.add({{0, 0, 0, 0}, 1}, {});
  CHECK(rollouts.members == std::vector<SetGroup>{{0}, {1}, {2}, {3}});
  CHECK(may_use(graph, {1, 2}, 0));
  CHECK_FALSE(may_use(graph, {2, 3}, 1));
}

}  // namespace
}  // namespace berth
