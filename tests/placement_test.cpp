#include "berth/placement.h"

#include <doctest/doctest.h>

#include "tests/support/fixtures.h"
#include "tests/support/sketch.h"

using namespace berth;

TEST_CASE("everything on one device is that device for every node") {
  const Problem& problem = fixtures::small_problem("chain");
  const Placement placement = on_one_device(problem, DeviceId{1});
  CHECK(placement.device_of.items() == std::vector<DeviceId>(4, DeviceId{1}));
  CHECK(placement.order.empty());
}

TEST_CASE("devices of units spread to nodes and come back") {
  const Problem& problem = fixtures::small_problem("colocation-across-passes");
  Rng rng(2);
  for (int round = 0; round < 20; ++round) {
    IdVector<UnitId, DeviceId> device_of;
    for (std::size_t u = 0; u < problem.unit_count(); ++u)
      device_of.push_back(static_cast<DeviceId>(rng.below(problem.device_count())));
    const Placement placement = from_units(problem, device_of);
    for (const NodeId node : problem.graph().nodes())
      CHECK(placement.device_of[node] == device_of[problem.unit_of(node)]);
    CHECK(to_units(problem, placement) == device_of);
  }
}

TEST_CASE("a placement that keeps all rules breaks none") {
  CHECK_FALSE(broken_rule(fixtures::small_problem("chain"), placed({0, 1, 0, 1})));
  CHECK_FALSE(broken_rule(fixtures::small_problem("chain"),
                          placed({0, 1, 0, 1}, {NodeId{0}, NodeId{1}, NodeId{2}, NodeId{3}})));
  CHECK_FALSE(broken_rule(fixtures::small_problem("pinned"), placed({0, 0, 0, 1})));
  CHECK_FALSE(broken_rule(fixtures::small_problem("apart"), placed({0, 0, 1, 2, 1})));
}

TEST_CASE("each hard rule is noticed when it is broken") {
  const auto broken = [](const char* problem, const Placement& placement) {
    return broken_rule(fixtures::small_problem(problem), placement).has_value();
  };
  CHECK(broken("chain", placed({0, 1, 0})));           // one node has no device
  CHECK(broken("chain", placed({0, 1, 0, 1, 0})));     // one device too many
  CHECK(broken("chain", placed({0, 1, 0, 2})));        // there is no third device
  CHECK(broken("unsupported-op", placed({0, 0, 0})));  // b does not run on d0
  CHECK(broken("pinned", placed({0, 1, 1, 1})));       // b is pinned to d0
  CHECK(broken("forbidden", placed({1, 1, 1, 1})));    // c may not use d1
  CHECK(broken("together", placed({0, 0, 1, 1})));     // a and c belong together
  CHECK(broken("colocation-across-passes", placed({0, 0, 0, 1, 0, 0})));
  CHECK(broken("apart", placed({0, 1, 1, 2, 1})));  // two branches share d1
  CHECK(broken("apart", placed({0, 0, 1, 2, 0})));  // split and join share d0
}

TEST_CASE("an order must hold every node once, predecessors first") {
  const Problem& problem = fixtures::small_problem("chain");
  const auto broken = [&](std::vector<NodeId> order) {
    return broken_rule(problem, placed({0, 0, 0, 0}, std::move(order))).has_value();
  };
  CHECK(broken({NodeId{0}, NodeId{1}, NodeId{2}}));
  CHECK(broken({NodeId{0}, NodeId{1}, NodeId{1}, NodeId{3}}));
  CHECK(broken({NodeId{1}, NodeId{0}, NodeId{2}, NodeId{3}}));
  CHECK(broken({NodeId{0}, NodeId{1}, NodeId{2}, NodeId{9}}));
}

TEST_CASE("the sentence names the node that breaks the rule") {
  const auto sentence = broken_rule(fixtures::small_problem("pinned"), placed({0, 1, 1, 1}));
  REQUIRE(sentence);
  CHECK(sentence->find("'b'") != std::string::npos);
  CHECK(sentence->find("d1") != std::string::npos);
}
