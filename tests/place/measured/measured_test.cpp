#include "berth/place/measured/measured.h"

#include <doctest/doctest.h>

#include "berth/place/measured/candidates.h"
#include "berth/place/registry.h"
#include "berth/sim/evaluate.h"
#include "tests/support/sketch.h"

using namespace berth;

namespace {

// Two rows of nodes side by side, 10 us each: apart they take half as long, if pieces cost nothing.
Problem two_rows(double overhead) {
  Sketch sketch("rows", 2, 2);
  const NodeId first = sketch.node("first", {1, 1}), last = sketch.node("last", {1, 1});
  for (int row = 0; row < 2; ++row) {
    NodeId before = first;
    for (int i = 0; i < 4; ++i) {
      const NodeId node = sketch.node("", {10, 10});
      sketch.tensor(before, 0, {node});
      before = node;
    }
    sketch.tensor(before, 0, {last});
  }
  for (const DeviceId id : sketch.cluster.devices()) {
    Device device = sketch.cluster.device(id);
    device.piece_overhead = Duration{overhead};
    sketch.cluster.set_device(id, device);
  }
  sketch.set_links(0, 1e-9);
  sketch.model = InPieces{};
  return sketch.build();
}

// A machine whose pieces cost what another problem says, with noise.
Meter machine_of(const Problem& real, double noise) {
  auto evaluator = std::make_shared<Evaluator>(real);
  auto rng = std::make_shared<Rng>(3);
  return [=](const Placement& placement) {
    return (*evaluator)(placement).value * (1 + noise * (2 * rng->uniform() - 1));
  };
}

Outcome placed_on(const Problem& real, double noise) {
  Budget budget;
  budget.set_meter(machine_of(real, noise));
  Rng rng(1);
  const Outcome outcome = run_method("measured", two_rows(0.1), budget, rng);
  CHECK(budget.measurements() <= 80);
  CHECK(budget.measurements() > 10);
  return outcome;
}

}  // namespace

TEST_CASE("a split that is faster in real runs is returned with its time") {
  const Problem real = two_rows(0.5);
  const Outcome outcome = placed_on(real, 0.03);
  REQUIRE(outcome.placement);
  REQUIRE(outcome.measured);
  const double value = Evaluator(real)(*outcome.placement).value.count();
  CHECK(value < 60);  // one device takes 82.5
  CHECK(outcome.measured->count() == doctest::Approx(value).epsilon(0.05));
}

TEST_CASE("a simulator that thinks cuts cheap does not make a split out of one device") {
  const Outcome outcome = placed_on(two_rows(40), 0.03);
  REQUIRE(outcome.placement);
  const std::vector<DeviceId>& devices = outcome.placement->device_of.items();
  CHECK(std::all_of(devices.begin(), devices.end(), [&](DeviceId d) { return d == devices[0]; }));
}

TEST_CASE("without anything that runs, the reason says what is missing") {
  Budget budget;
  Rng rng(1);
  const Outcome outcome = run_method("measured", two_rows(0.1), budget, rng);
  CHECK_FALSE(outcome.placement);
  CHECK(outcome.reason.find("--devices of this machine") != std::string::npos);
}

TEST_CASE("candidates are taken once, and only if they are feasible") {
  Sketch sketch("small", 2);
  sketch.node("a", {1, 1});
  sketch.node("b", {1, 1});
  sketch.at(NodeId{0}).weights = sketch.at(NodeId{1}).weights = Bytes{6};
  sketch.set_memory(1, 10);
  const Problem problem = sketch.build();
  Candidates candidates(problem);
  CHECK(candidates.count() == 1);  // d1 cannot hold both
  candidates.add(placed({0, 0}));
  candidates.add(placed({1, 1}));
  CHECK(candidates.count() == 1);
  candidates.add(placed({0, 1}));
  candidates.add(placed({0, 1}, {NodeId{1}, NodeId{0}}));  // the same but for an order
  CHECK(candidates.count() == 2);
}
