#include "berth/search/fit_weights.h"

#include <doctest/doctest.h>

#include "berth/solvers/milp.h"
#include "tests/support/brute_force.h"
#include "tests/support/effort.h"
#include "tests/support/fixtures.h"
#include "tests/support/shared_weights.h"
#include "tests/support/sketch.h"

using namespace berth;

namespace {

// The weights of each device, copies included, counted anew.
bool weights_fit(const Problem& problem, const Placement& placement) {
  const Graph& graph = problem.graph();
  for (const DeviceId device : problem.devices()) {
    const std::optional<Bytes> limit = problem.cluster().device(device).memory;
    Bytes held{};
    for (const NodeId node : graph.nodes())
      if (placement.device_of[node] == device) held += graph.node(node).weights;
    for (const TensorId tensor : graph.tensors()) {
      if (!graph.is_weight(tensor) || placement.device_of[graph.producer(tensor)] == device)
        continue;
      for (const NodeId user : graph.consumers(tensor))
        if (placement.device_of[user] == device) {
          held += graph.tensor(tensor).size;
          break;
        }
    }
    if (limit && held > *limit) return false;
  }
  return true;
}

}  // namespace

TEST_CASE("copies of a shared weight must fit beside everything else") {
  if (!milp_available()) return;
  // Two users with 4 bytes each that must be apart, a weight of 8: both devices need 12.
  Sketch sketch("apart", 2);
  const NodeId a = sketch.node("a", {1, 1}), b = sketch.node("b", {1, 1});
  sketch.at(a).weights = sketch.at(b).weights = Bytes{4};
  sketch.shared_weight("weight", 8, {a, b});
  sketch.constraints.apart = {{a, b}};
  sketch.set_memory(0, 12);
  sketch.set_memory(1, 12);
  const WeightFit fit = fit_weights(sketch.build(), Budget{});
  REQUIRE(fit.units);
  CHECK(weights_fit(sketch.build(), from_units(sketch.build(), *fit.units)));
  sketch.set_memory(1, 11);  // 16 + 8 bytes in all, but no unit is larger than a device
  const WeightFit none = fit_weights(sketch.build(), Budget{});
  CHECK_FALSE(none.units);
  CHECK(none.impossible);
}

TEST_CASE("a packing fits, and there is none exactly when brute force finds none") {
  if (!milp_available()) return;
  Rng rng(78);
  int impossible = 0;
  for (int round = 0; round < effort(300); ++round) {
    CAPTURE(round);
    Problem problem = fixtures::random_problem(rng, {.max_nodes = 5});
    if (round % 2 == 0) problem = with_shared_weights(problem, rng);
    problem = problem.with_model(Concurrent{});  // no limit on subgraphs
    const WeightFit fit = fit_weights(problem, Budget{});
    const BruteForce all = brute_force(problem, [&](const Placement& placement) {
      return weights_fit(problem, placement) ? std::optional(1.0) : std::nullopt;
    });
    REQUIRE(fit.impossible == (all.feasible == 0));
    REQUIRE(fit.units.has_value() == (all.feasible > 0));
    if (fit.units) REQUIRE(weights_fit(problem, from_units(problem, *fit.units)));
    impossible += fit.impossible;
  }
  CHECK(impossible > 0);
}
