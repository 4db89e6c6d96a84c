#include "berth/report/explain.h"

#include <doctest/doctest.h>

#include "berth/base/error.h"
#include "tests/support/sketch.h"

using namespace berth;

namespace {

const DeviceId d0{0}, d1{1};

// Two nodes in a row on two devices; a cannot run on d1, b is twice as fast there but its input
// takes 3 us to get there:  all on d0 1 + 4 = 5;  b on d1 1 + 3 + 2 = 6.
struct Chain {
  Sketch sketch{"chain", 2};
  NodeId a = sketch.node("a", {1, kNever}), b = sketch.node("b", {4, 2});
  TensorId tensor = sketch.tensor(a, 3, {b});
};

Explanation explained(const Problem& problem, const Placement& placement, NodeId node) {
  return explain(problem, placement, simulate(problem, placement), node);
}

}  // namespace

TEST_CASE("an alternative shows the objective with the node there and all else equal") {
  const Chain chain;
  const Explanation e = explained(chain.sketch.build(), placed({0, 0}), chain.b);
  REQUIRE(e.alternatives.size() == 2);
  CHECK(e.device == d0);
  CHECK(e.alternatives[0].value == Duration{5});
  CHECK(e.alternatives[1].value == Duration{6});
  CHECK(e.alternatives[1].obstacle.empty());
  CHECK(e.start == Duration{1});
  CHECK(e.finish == Duration{5});
  CHECK(e.binding == "the objective: the next best device, d1, is worse by 20%");
}

TEST_CASE("a better alternative is named, not hidden") {
  const Chain chain;
  const Explanation e = explained(chain.sketch.build(), placed({0, 1}), chain.b);
  CHECK(e.binding == "not a local optimum: d0 would be better by 17%");  // 5 instead of 6
}

TEST_CASE("a node without support elsewhere is bound by that") {
  const Chain chain;
  const Explanation e = explained(chain.sketch.build(), placed({0, 0}), chain.a);
  CHECK(e.alternatives[1].obstacle == "unsupported");
  CHECK_FALSE(e.alternatives[1].value.has_value());
  CHECK(e.binding == "no other device is possible: unsupported");
}

TEST_CASE("a node that shares its device is bound by what binds the others") {
  Chain chain;
  chain.sketch.constraints.together = {{chain.a, chain.b}};
  const Explanation e = explained(chain.sketch.build(), placed({0, 0}), chain.b);
  CHECK(e.unit == std::vector{chain.a, chain.b});
  CHECK(e.alternatives[1].obstacle == "unsupported (through 'a', which shares its device)");
}

TEST_CASE("pins and forbids are named") {
  Chain chain;
  SUBCASE("pin") {
    chain.sketch.constraints.pin = {{chain.b, d0}};
    const Explanation e = explained(chain.sketch.build(), placed({0, 0}), chain.b);
    CHECK(e.alternatives[1].obstacle == "pinned to d0");
  }
  SUBCASE("forbid") {
    chain.sketch.constraints.forbid = {{chain.b, d1}};
    const Explanation e = explained(chain.sketch.build(), placed({0, 0}), chain.b);
    CHECK(e.alternatives[1].obstacle == "forbidden");
  }
}

TEST_CASE("a device without room is an obstacle, not an alternative") {
  Chain chain;
  chain.sketch.at(chain.b).weights = Bytes{100};
  chain.sketch.set_memory(1, 50);
  const Explanation e = explained(chain.sketch.build(), placed({0, 0}), chain.b);
  CHECK_FALSE(e.alternatives[1].value.has_value());
  CHECK_FALSE(e.alternatives[1].obstacle.empty());
}

TEST_CASE("inputs and outputs show what their transfers cost") {
  const Chain chain;
  const Problem problem = chain.sketch.build();
  const Explanation b = explained(problem, placed({0, 1}), chain.b);
  REQUIRE(b.inputs.size() == 1);
  CHECK(b.inputs[0].node == chain.a);
  CHECK(b.inputs[0].transfer == Duration{3});
  CHECK(b.outputs.empty());
  const Explanation a = explained(problem, placed({0, 1}), chain.a);
  REQUIRE(a.outputs.size() == 1);
  CHECK(a.outputs[0].device == d1);
}

TEST_CASE("a node is found by name, then by its id in the file, else the nearest name is offered") {
  Chain chain;
  chain.sketch.at(chain.b).name = "conv_1";
  chain.sketch.at(chain.b).alias = "17";
  const Problem problem = chain.sketch.build();
  CHECK(find_node(problem.graph(), "conv_1") == chain.b);
  CHECK(find_node(problem.graph(), "17") == chain.b);
  CHECK_THROWS_WITH_AS(find_node(problem.graph(), "conv1"),
                       "no node is called 'conv1'; did you mean 'conv_1'?", Error);
}
