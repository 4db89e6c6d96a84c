// Rows of forced cuts hold for every piece within the limit, and their bound for every split.
#include "berth/place/load/piece_prices.h"

#include <algorithm>
#include <cmath>

#include <doctest/doctest.h>

#include "berth/place/load/piece_load.h"
#include "berth/solvers/milp.h"
#include "tests/support/changed_model.h"
#include "tests/support/effort.h"
#include "tests/support/fixtures.h"
#include "tests/support/sketch.h"

using namespace berth;

namespace {

bool no_solver() {
  if (milp_available()) return false;
  MESSAGE("skipped: this build has no integer-program solver");
  return true;
}

}  // namespace

TEST_CASE("a path of four units on two accelerators has to be cut once") {
  if (no_solver()) return;
  // Times 10, nets of 1 between neighbours; limit 22: with 40 of work and at most 22 elsewhere, a
  // piece does at least 18, so it holds two units, and a net is cut.
  Sketch sketch("path", 3, 1);
  NodeId node[4];
  for (int i = 0; i < 4; ++i) node[i] = sketch.node("n" + std::to_string(i), {kNever, 10, 10});
  for (int i = 0; i < 3; ++i) sketch.tensor(node[i], 1, {node[i + 1]});
  sketch.model = MaxLoad{.route = Route::kHost};
  const LoadModel model = load_model(sketch.build(), {.ordered = false});
  Budget budget;
  // The limit lets a piece have two units, and so every piece has: 20 and a cut.
  CHECK(price_pieces(model, 22, {}, 20, budget).bound == doctest::Approx(21).epsilon(1e-4));
}

TEST_CASE("no piece within the limit that leaves the others enough to do breaks a forced cut") {
  if (no_solver()) return;
  Rng rng(81);
  int compared = 0;
  for (int round = 0; round < effort(200); ++round) {
    CAPTURE(round);
    fixtures::RandomShape shape{.min_nodes = 3, .max_nodes = 8, .min_devices = 2};
    shape.execution = fixtures::ExecutionKind::kCall;
    shape.objective = Objective::kThroughput;
    shape.training = false;
    const Problem problem = changed<MaxLoad>(fixtures::random_problem(rng, shape),
                                             [](MaxLoad& load) { load.overlap = Overlap::kSum; });
    const LoadModel model = load_model(problem, {.ordered = false});
    double total = 0;
    for (const LoadModel::Unit& unit : model.units)
      if (std::isfinite(unit.time[0][0])) total += unit.time[0][0];
    const double limit = total * (0.4 + 0.6 * rng.uniform());
    Budget budget;
    const std::vector<PieceRow> rows = price_pieces(model, limit, {}, 6, budget).rows;
    if (rows.empty()) continue;
    double elsewhere = 0;
    for (std::size_t c = 0; c < model.classes.size(); ++c) {
      double speed = 0;
      for (const LoadModel::Unit& unit : model.units)
        if (std::isfinite(unit.time[0][0] + unit.time[c][0]) && unit.time[0][0] > 0)
          speed = std::max(speed, unit.time[0][0] / unit.time[c][0]);
      elsewhere += speed * limit * static_cast<double>(model.classes[c].count() - (c == 0 ? 1 : 0));
    }
    PieceLoad load(model);
    for (std::uint32_t set = 0; set < (1U << model.unit_count()); ++set) {
      load.start();
      for (std::uint32_t unit = 0; unit < model.unit_count(); ++unit)
        if ((set >> unit) & 1) load.add(unit);
      const double work = load.compute(0);
      if (!load.memory_fits(0) || !(load.load(0) <= limit) || work < total - elsewhere) continue;
      for (const PieceRow& row : rows) {
        double price = 0;
        for (const std::uint32_t unit : load.units()) price += row.price[unit];
        REQUIRE(load.load(0) >= price - row.most - 1e-9 * limit);
        ++compared;
      }
    }
  }
  CHECK(compared > 100);
}
