#include "berth/problem.h"

#include <limits>
#include <string>
#include <vector>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "berth/base/error.h"
#include "tests/support/fixtures.h"
#include "tests/support/sketch.h"

using namespace berth;

namespace {

constexpr DeviceId d0{0}, d1{1}, d2{2};

// Three nodes in a chain on three devices.
Sketch chain() {
  Sketch sketch("chain", 3);
  const NodeId a = sketch.node("alpha", {1, 2, 3}), b = sketch.node("beta", {4, 5, 6});
  const NodeId c = sketch.node("gamma", {7, 8, 9});
  sketch.tensor(a, 10, {b});
  sketch.tensor(b, 20, {c});
  return sketch;
}

std::string complaint(const Sketch& sketch) {
  try {
    sketch.build();
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

bool mentions(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

std::vector<bool> allowed(const Problem& problem, NodeId node) {
  std::vector<bool> result;
  for (const DeviceId device : problem.devices()) result.push_back(problem.allows(node, device));
  return result;
}

}  // namespace

TEST_CASE("times and transfers are per sample: multiplied by the producer's frequency") {
  Sketch sketch = chain();
  sketch.at(NodeId{0}).frequency = 0.5;
  sketch.set_link(0, 1, 2, 1);  // 2 us + 10 bytes at 1 us each
  const Problem problem = sketch.build();
  CHECK(problem.time(NodeId{0}, d2).count() == doctest::Approx(1.5));
  CHECK(problem.time(NodeId{1}, d2).count() == doctest::Approx(6));
  CHECK(problem.transfer(TensorId{0}, d0, d1).count() == doctest::Approx(6));
  CHECK(problem.transfer(TensorId{0}, d1, d0).count() == doctest::Approx(5));
  CHECK(problem.transfer(TensorId{0}, d1, d1) == Duration{0});
  CHECK(problem.transfer(TensorId{1}, d0, d2).count() == doctest::Approx(20));
}

TEST_CASE("a node that never runs still cannot run where it is unsupported") {
  Sketch sketch("idle expert", 2);
  const NodeId a = sketch.node("a", {1, kNever});
  sketch.at(a).frequency = 0;
  const Problem problem = sketch.build();
  CHECK(problem.time(a, d0) == Duration{0});
  CHECK(problem.time(a, d1) == kForever);
  CHECK_FALSE(problem.allows(a, d1));
}

TEST_CASE("in the call model data passes host memory: given times are one way, CPUs pay nothing") {
  Sketch sketch("call", 2, 1);  // d0 is the CPU
  const NodeId a = sketch.node("a", {1, 1}), b = sketch.node("b", {1, 1});
  const TensorId t = sketch.tensor(a, 6, {b});
  sketch.set_link(0, 1, 1, 1);
  sketch.set_link(1, 0, 2, 3);
  sketch.model = CallLatency{};
  Problem problem = sketch.build();
  CHECK(problem.read_from_host(t, d1).count() == doctest::Approx(7));  // 1 + 6 * 1
  CHECK(problem.write_to_host(t, d1).count() == doctest::Approx(20));  // 2 + 6 * 3
  CHECK(problem.read_from_host(t, d0) == Duration{0});
  CHECK(problem.write_to_host(t, d0) == Duration{0});
  sketch.transfers = TransferTimes::per_tensor(IdVector<TensorId, Duration>{Duration{5}});
  sketch.at(a).frequency = 2;
  problem = sketch.build();
  CHECK(problem.read_from_host(t, d1).count() == doctest::Approx(10));
  CHECK(problem.write_to_host(t, d1).count() == doctest::Approx(10));
  CHECK(problem.write_to_host(t, d0) == Duration{0});
}

TEST_CASE("without groups every node is a unit of its own") {
  const Problem problem = chain().build();
  CHECK(problem.unit_count() == 3);
  for (const NodeId node : problem.graph().nodes()) {
    REQUIRE(problem.members(problem.unit_of(node)).size() == 1);
    CHECK(problem.members(problem.unit_of(node))[0] == node);
  }
  CHECK_FALSE(problem.is_training());
}

TEST_CASE("groups and together constraints that share a node make one unit") {
  Sketch sketch("units", 2);
  std::vector<NodeId> n;
  for (int i = 0; i < 6; ++i) n.push_back(sketch.node(fmt::format("n{}", i), {1, 1}));
  sketch.at(n[0]).group = 4;
  sketch.at(n[3]).group = 4;
  sketch.constraints.together = {{n[3], n[1]}, {n[2], n[5]}};
  const Problem problem = sketch.build();
  CHECK(problem.unit_count() == 3);  // {0,1,3} {2,5} {4}
  CHECK(problem.unit_of(n[0]) == problem.unit_of(n[1]));
  CHECK(problem.unit_of(n[0]) == problem.unit_of(n[3]));
  CHECK(problem.unit_of(n[2]) == problem.unit_of(n[5]));
  CHECK(problem.unit_of(n[2]) != problem.unit_of(n[0]));
  CHECK(problem.unit_of(n[4]) != problem.unit_of(n[0]));
  std::size_t members = 0;
  for (const UnitId unit : problem.units()) {
    members += problem.members(unit).size();
    for (const NodeId node : problem.members(unit)) CHECK(problem.unit_of(node) == unit);
  }
  CHECK(members == 6);
}

TEST_CASE("a unit may use a device that supports all members, without forbids and other pins") {
  Sketch sketch = chain();
  sketch.constraints.together = {{NodeId{0}, NodeId{1}}};
  sketch.constraints.forbid = {{NodeId{1}, d0}};
  CHECK(allowed(sketch.build(), NodeId{0}) == std::vector{false, true, true});
  CHECK(allowed(sketch.build(), NodeId{2}) == std::vector{true, true, true});
  sketch.constraints.pin = {{NodeId{0}, d2}};
  CHECK(allowed(sketch.build(), NodeId{1}) == std::vector{false, false, true});

  Sketch partial("partial", 2);
  const NodeId a = partial.node("a", {1, 1}), b = partial.node("b", {kNever, 1});
  partial.at(a).group = 0;
  partial.at(b).group = 0;
  CHECK(allowed(partial.build(), a) == std::vector{false, true});
}

TEST_CASE("apart sets are told in units") {
  Sketch sketch = chain();
  sketch.constraints.apart = {{NodeId{0}, NodeId{2}}};
  const Problem problem = sketch.build();
  REQUIRE(problem.apart().size() == 1);
  REQUIRE(problem.apart()[0].size() == 2);
  CHECK(problem.apart()[0][0] != problem.apart()[0][1]);
}

TEST_CASE("constraints that contradict each other are rejected and the nodes named") {
  Sketch two_pins = chain();
  two_pins.constraints.pin = {{NodeId{1}, d0}, {NodeId{1}, d1}};
  CHECK(mentions(complaint(two_pins), "beta"));

  Sketch pin_and_forbid = chain();
  pin_and_forbid.constraints.pin = {{NodeId{1}, d0}};
  pin_and_forbid.constraints.forbid = {{NodeId{1}, d0}};
  CHECK(mentions(complaint(pin_and_forbid), "beta"));

  Sketch together_and_apart = chain();
  together_and_apart.constraints.together = {{NodeId{0}, NodeId{1}}};
  together_and_apart.constraints.apart = {{NodeId{0}, NodeId{1}}};
  CHECK(mentions(complaint(together_and_apart), "alpha"));
  CHECK(mentions(complaint(together_and_apart), "beta"));

  Sketch torn_group = chain();
  torn_group.constraints.together = {{NodeId{0}, NodeId{2}}};
  torn_group.constraints.pin = {{NodeId{0}, d0}, {NodeId{2}, d1}};
  CHECK_FALSE(complaint(torn_group).empty());
}

TEST_CASE("constraints on unknown nodes and devices are rejected") {
  Sketch unknown_node = chain();
  unknown_node.constraints.pin = {{NodeId{9}, d0}};
  CHECK_FALSE(complaint(unknown_node).empty());
  Sketch unknown_device = chain();
  unknown_device.constraints.forbid = {{NodeId{0}, DeviceId{9}}};
  CHECK_FALSE(complaint(unknown_device).empty());
}

TEST_CASE("a node that runs nowhere is not an error, but told") {
  Sketch sketch("stuck", 2);
  sketch.node("fine", {1, 1});
  const NodeId stuck = sketch.node("stuck", {kNever, kNever});
  const Problem problem = sketch.build();
  CHECK(problem.unplaceable() == stuck);
  CHECK_FALSE(chain().build().unplaceable());
}

TEST_CASE("negative times, times that are no number and tables of the wrong size are rejected") {
  const auto with_time = [](double micros) {
    Sketch sketch("wrong", 1);
    sketch.node("culprit", {micros});
    return complaint(sketch);
  };
  CHECK(mentions(with_time(-1), "culprit"));
  CHECK(mentions(with_time(std::numeric_limits<double>::quiet_NaN()), "culprit"));
  CHECK(with_time(0).empty());

  const Problem good = chain().build();
  CHECK_THROWS_AS(
      Problem("small", good.graph(), good.cluster(), {.times = NodeTimes(2, 3), .transfers = {}}),
      Error);
  CHECK_THROWS_AS(
      Problem("narrow", good.graph(), good.cluster(), {.times = NodeTimes(3, 2), .transfers = {}}),
      Error);
  Sketch short_transfers = chain();
  short_transfers.transfers = TransferTimes::per_tensor(IdVector<TensorId, Duration>{Duration{1}});
  CHECK_FALSE(complaint(short_transfers).empty());
  Sketch negative_transfer = chain();
  negative_transfer.transfers =
      TransferTimes::per_tensor(IdVector<TensorId, Duration>{Duration{1}, Duration{-1}});
  CHECK_FALSE(complaint(negative_transfer).empty());
}

TEST_CASE("a graph with backward nodes is training") {
  CHECK(fixtures::small_problem("colocation-across-passes").is_training());
  CHECK_FALSE(fixtures::small_problem("chain").is_training());
}

TEST_CASE("the same problem may be executed, constrained and limited otherwise") {
  const Problem problem = chain().build();
  const Problem other = problem.with_model(Sequential{.subgraph_overhead = Duration{4}});
  CHECK(other.as<Sequential>());
  CHECK(problem.as<Concurrent>());
  CHECK(other.graph() == problem.graph());

  const Problem pinned = problem.with_constraints(
      {.pin = {{NodeId{0}, d1}}, .forbid = {}, .together = {}, .apart = {}});
  CHECK(allowed(pinned, NodeId{0}) == std::vector{false, true, false});
  CHECK(allowed(problem, NodeId{0}) == std::vector{true, true, true});

  Sketch slow = chain();
  slow.set_links(0, 5);
  const Problem slower = problem.with_cluster(slow.cluster);
  CHECK(slower.transfer(TensorId{0}, d0, d1).count() == doctest::Approx(50));
  CHECK_THROWS_AS(problem.with_cluster(Sketch("other", 2).cluster), Error);
}
