// Claims meet in the incumbent: a bound above a value that exists is caught, named and dropped.
#include "berth/search/incumbent.h"

#include <thread>
#include <vector>

#include <doctest/doctest.h>

#include "berth/place/run_placer.h"
#include "berth/place/seeds.h"
#include "berth/search/bounds.h"
#include "tests/support/fixtures.h"
#include "tests/support/sketch.h"

using namespace berth;

namespace {

// Two nodes in a row that take 3 + 3 us on the slow device, 1 + 1 us on the fast one, one after
// another: 6, or 2.
Problem two_nodes() {
  Sketch sketch("two", 2);
  const NodeId a = sketch.node("a", {3, 1}), b = sketch.node("b", {3, 1});
  sketch.tensor(a, 1, {b});
  sketch.model = Sequential{};
  return sketch.build();
}
const Placement kSlow = placed({0, 0}), kFast = placed({1, 1});

// Claims that nothing is below `bound` while its own placement is.
Method liar(Duration bound) {
  return [bound](const Context& context) {
    context.incumbent.raise_bound(bound);
    context.incumbent.offer(kFast);
    context.incumbent.prove();
  };
}

}  // namespace

TEST_CASE("the incumbent keeps the best placement by the simulator's value, and who found it") {
  const Problem problem = two_nodes();
  const Budget budget;
  Incumbent incumbent(problem, budget, "search");
  incumbent.raise_bound(lower_bound(problem).value, "bounds");
  CHECK(incumbent.value() == kForever);
  CHECK(incumbent.offer(kSlow, "first"));
  CHECK(incumbent.value() == Duration{6});
  CHECK(incumbent.offer(kFast, "second"));
  CHECK_FALSE(incumbent.offer(kSlow, "third"));
  const Outcome outcome = incumbent.outcome();
  CHECK(outcome.placement == kFast);
  CHECK(outcome.found_by == "second");
  CHECK(outcome.proven_optimal);  // the cheap bound is 2 as well
  CHECK(outcome.contradictions.empty());
}

TEST_CASE("a bound above a value is named with both methods, whichever comes first") {
  const Problem problem = two_nodes();
  const Budget budget;
  for (const bool bound_first : {true, false}) {
    CAPTURE(bound_first);
    Incumbent incumbent(problem, budget, "search");
    incumbent.raise_bound(lower_bound(problem).value, "bounds");
    if (bound_first) incumbent.raise_bound(Duration{5}, "liar");
    incumbent.offer(kFast, "finder");
    if (!bound_first) incumbent.raise_bound(Duration{5}, "liar");
    const Outcome outcome = incumbent.outcome();
    REQUIRE(outcome.contradictions.size() == 1);
    CHECK(outcome.contradictions[0].claimed_by == "liar");
    CHECK(outcome.contradictions[0].refuted_by == "finder");
    CHECK(outcome.contradictions[0].what ==
          "liar claims that no placement takes less than 0.005 ms, but that of finder takes 0.002 "
          "ms: "
          "the bound is dropped");
    // What is certain stays: the placement, its value, the cheap bound.
    CHECK(outcome.placement == kFast);
    CHECK(outcome.lower_bound->count() == doctest::Approx(2));
    // Nothing that the liar says later is believed.
    incumbent.raise_bound(Duration{1.9999999}, "liar");
    CHECK(incumbent.outcome().contradictions.size() == 1);
    CHECK(incumbent.outcome().bound_by == "bounds");
  }
}

TEST_CASE("a bound above the value by rounding is no contradiction") {
  const Problem problem = two_nodes();
  const Budget budget;
  Incumbent incumbent(problem, budget, "search");
  incumbent.raise_bound(lower_bound(problem).value, "bounds");
  incumbent.offer(kFast, "finder");
  incumbent.raise_bound(Duration{2 * (1 + 1e-7)}, "rounded");
  CHECK(incumbent.outcome().contradictions.empty());
  CHECK(incumbent.closed());
}

TEST_CASE("a placement that breaks a rule is not taken, however good it looks") {
  const Problem problem = two_nodes().with_constraints(
      {.pin = {{NodeId{0}, DeviceId{0}}}, .forbid = {}, .together = {}, .apart = {}});
  const Budget budget;
  Incumbent incumbent(problem, budget, "search");
  incumbent.raise_bound(lower_bound(problem).value, "bounds");
  CHECK_FALSE(incumbent.offer(kFast, "finder"));
  CHECK_FALSE(incumbent.placement());
}

TEST_CASE("many threads may offer at once") {
  const Problem problem = two_nodes();
  const Budget budget;
  Incumbent incumbent(problem, budget, "search");
  incumbent.raise_bound(lower_bound(problem).value, "bounds");
  {
    std::vector<std::jthread> pool;
    for (int i = 0; i < 4; ++i)
      pool.emplace_back([&, i] {
        for (int j = 0; j < 200; ++j) {
          incumbent.offer(i % 2 == 0 ? kSlow : kFast, "thread");
          incumbent.raise_bound(Duration{j / 100.0}, "thread");
        }
      });
  }
  CHECK(incumbent.value() == Duration{2});
}

TEST_CASE("run_placer catches a wrong bound that a method plants, names it, and keeps the value") {
  const Problem problem = two_nodes();
  Budget budget;
  const Result result = run_placer(liar(Duration{5}), "liar", "liar()", problem, 1, budget);
  REQUIRE(result.contradictions.size() == 1);
  CHECK(result.contradictions[0].claimed_by == "liar");
  CHECK(result.contradictions[0].refuted_by == "liar");
  CHECK(result.placement == kFast);
  CHECK(result.simulation->value == Duration{2});
  // The cheap bound, which holds, is what remains, and here it closes the gap by itself.
  CHECK(result.lower_bound->count() == doctest::Approx(2));
  CHECK(run_placer(liar(Duration{2}), "liar", "liar()", problem, 1, budget).contradictions.empty());
}
