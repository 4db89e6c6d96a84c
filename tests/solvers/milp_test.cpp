#include "berth/solvers/milp.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <stdexcept>
#include <vector>

#include <doctest/doctest.h>

#include "berth/base/error.h"
#include "berth/base/random.h"

namespace berth {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

// maximise 3x + 2y with x + y <= 4, x + 3y <= 6, x <= 3: at (3, 1), value 11.
MilpModel small_linear() {
  MilpModel model;
  const VariableId x = model.add_variable({.upper = 3, .cost = -3});
  const VariableId y = model.add_variable({.cost = -2});
  model.add_row(-kNoLimit, 4, {{x, 1}, {y, 1}});
  model.add_row(-kNoLimit, 6, {{x, 1}, {y, 3}});
  return model;
}

struct Knapsack {
  MilpModel model;
  std::vector<int> size, gain;
  int room = 0;
};

Knapsack random_knapsack(std::size_t items, Rng& rng) {
  Knapsack knapsack;
  std::vector<Term> terms;
  for (std::size_t i = 0; i < items; ++i) {
    knapsack.size.push_back(1 + static_cast<int>(rng.below(50)));
    knapsack.gain.push_back(1 + static_cast<int>(rng.below(50)));
    knapsack.room += knapsack.size.back();
    terms.push_back({knapsack.model.add_binary(-knapsack.gain.back()),
                     static_cast<double>(knapsack.size.back())});
  }
  knapsack.room /= 2;
  knapsack.model.add_row(-kNoLimit, knapsack.room, terms);
  return knapsack;
}

int best_gain(const Knapsack& knapsack) {
  std::vector<int> best(static_cast<std::size_t>(knapsack.room) + 1, 0);
  for (std::size_t i = 0; i < knapsack.size.size(); ++i)
    for (std::size_t room = best.size(); room-- > static_cast<std::size_t>(knapsack.size[i]);)
      best[room] = std::max(
          best[room], best[room - static_cast<std::size_t>(knapsack.size[i])] + knapsack.gain[i]);
  return best.back();
}

// A multi-dimensional knapsack: hard enough that the search outlives several callbacks.
MilpModel hard_model(std::size_t items, std::size_t rows) {
  Rng rng(5);
  MilpModel model;
  std::vector<VariableId> variables;
  for (std::size_t i = 0; i < items; ++i)
    variables.push_back(model.add_binary(-100.0 - static_cast<double>(rng.below(100))));
  for (std::size_t r = 0; r < rows; ++r) {
    std::vector<Term> terms;
    double sum = 0;
    for (const VariableId v : variables) {
      terms.push_back({v, 100.0 + static_cast<double>(rng.below(100))});
      sum += terms.back().coefficient;
    }
    model.add_row(-kNoLimit, std::floor(sum / 2), terms);
  }
  return model;
}

}  // namespace

TEST_CASE("a row adds up repeated variables and drops zeros") {
  MilpModel model;
  const VariableId x = model.add_variable({});
  const VariableId y = model.add_variable({});
  const RowId row = model.add_row(0, 1, {{y, 2}, {x, 1}, {y, 3}, {x, -1}});
  REQUIRE(model.terms(row).size() == 1);
  CHECK(model.terms(row)[0] == Term{y, 5});
}

TEST_CASE("weak duality gives the optimum at the optimal multipliers and less elsewhere") {
  // At (3, 1) the first row binds and so does x <= 3: multipliers (-2, 0), reduced cost -1 of x.
  const MilpModel model = small_linear();
  CHECK(weak_dual_bound(model, {-2.0, 0.0}) == doctest::Approx(-11));
  CHECK(weak_dual_bound(model, {-2.5, 0.0}) < -11);
  // y unbounded above with a negative reduced cost proves nothing.
  CHECK(weak_dual_bound(model, {0.0, 0.0}) == -kNoLimit);
  // A positive multiplier of a row without lower limit is ignored, not trusted.
  CHECK(weak_dual_bound(model, {-2.0, 7.0}) == doctest::Approx(-11));
}

TEST_CASE("without a solver the error says so") {
  if (milp_available()) return;
  CHECK_THROWS_AS(solve(small_linear()), Error);
}

TEST_CASE("a linear program is solved with its multipliers" * doctest::skip(!milp_available())) {
  for (const LpMethod method : {LpMethod::kChoose, LpMethod::kSimplex, LpMethod::kInteriorPoint}) {
    MilpModel model = small_linear();
    model.offset = 100;
    const MilpSolution solution = solve(model, {.lp_method = method});
    REQUIRE(solution.status == MilpStatus::kOptimal);
    CHECK(solution.objective == doctest::Approx(89));
    CHECK(solution.bound == doctest::Approx(89));
    CHECK(solution.values[VariableId{0}] == doctest::Approx(3));
    CHECK(solution.values[VariableId{1}] == doctest::Approx(1));
    REQUIRE(solution.duals.size() == 2);
    CHECK(weak_dual_bound(model, solution.duals) == doctest::Approx(89));
  }
}

TEST_CASE("integer programs agree with dynamic programming" * doctest::skip(!milp_available())) {
  Rng rng(11);
  for (int trial = 0; trial < 30; ++trial) {
    const Knapsack knapsack = random_knapsack(4 + rng.below(16), rng);
    const MilpSolution solution = solve(knapsack.model);
    REQUIRE(solution.status == MilpStatus::kOptimal);
    CHECK(solution.objective == doctest::Approx(-best_gain(knapsack)));
    CHECK(solution.bound <= solution.objective + 1e-6);
  }
}

TEST_CASE("infeasible and unbounded models are told apart" * doctest::skip(!milp_available())) {
  for (const bool integer : {false, true}) {
    MilpModel model;
    const VariableId x = model.add_variable({.cost = -1, .integer = integer});
    const VariableId y = model.add_variable({.cost = -1, .integer = integer});
    model.add_row(-1, 1, {{x, 1}, {y, -1}});
    const MilpSolution unbounded = solve(model);
    CHECK(unbounded.status == MilpStatus::kUnbounded);
    CHECK_FALSE(unbounded.has_values());
    model.add_row(-kNoLimit, -1, {{x, 1}, {y, 1}});
    const MilpSolution infeasible = solve(model);
    CHECK(infeasible.status == MilpStatus::kInfeasible);
    CHECK_FALSE(infeasible.has_values());
  }
}

TEST_CASE("a warm start is kept when no time is left" * doctest::skip(!milp_available())) {
  const MilpModel model = hard_model(60, 5);
  std::vector<double> start(60, 0.0);
  start[0] = start[1] = 1.0;
  const double value = model.variable(VariableId{0}).cost + model.variable(VariableId{1}).cost;
  const MilpSolution solution = solve(model, {.nodes = 0, .start = start});
  REQUIRE(solution.has_values());
  CHECK(solution.objective <= value + 1e-9);
}

TEST_CASE("a partial warm start is completed" * doctest::skip(!milp_available())) {
  std::vector<double> start(20, kNaN);
  start[3] = 1.0;
  const MilpModel model = hard_model(20, 2);
  const MilpSolution with = solve(model, {.start = start});
  const MilpSolution without = solve(model);
  CHECK(with.status == MilpStatus::kOptimal);
  CHECK(with.objective == doctest::Approx(without.objective));
}

TEST_CASE("a stop keeps the incumbent and a bound" * doctest::skip(!milp_available())) {
  const MilpModel model = hard_model(100, 10);
  bool found = false;
  std::vector<double> last;
  MilpOptions options;
  options.improved = [&](std::span<const double> values, double) {
    found = true;
    last.assign(values.begin(), values.end());
  };
  options.stop = [&] { return found; };
  const MilpSolution solution = solve(model, options);
  REQUIRE(solution.status == MilpStatus::kFeasible);
  CHECK(solution.values.size() == 100);
  CHECK(solution.bound < solution.objective);
  CHECK(last.size() == 100);
}

TEST_CASE("a stop before the start gives no solution" * doctest::skip(!milp_available())) {
  const MilpSolution solution = solve(hard_model(20, 2), {.stop = [] { return true; }});
  CHECK(solution.status == MilpStatus::kNoSolution);
  CHECK_FALSE(solution.has_values());
}

TEST_CASE("progress carries incumbents and a bound below them" * doctest::skip(!milp_available())) {
  int calls = 0;
  MilpOptions options{.nodes = 200};
  options.progress = [&](const MilpProgress& progress) {
    ++calls;
    if (progress.incumbent && progress.bound) CHECK(*progress.bound <= *progress.incumbent + 1e-6);
  };
  const MilpSolution solution = solve(hard_model(60, 5), options);
  CHECK(calls > 0);
  CHECK(solution.has_values());
}

TEST_CASE("an exception in a callback ends the search and comes out" *
          doctest::skip(!milp_available())) {
  MilpOptions options;
  options.improved = [](std::span<const double>, double) { throw std::runtime_error("enough"); };
  CHECK_THROWS_WITH(solve(hard_model(60, 5), options), "enough");
}

TEST_CASE("one seed gives one answer, whatever ran between" * doctest::skip(!milp_available())) {
  const MilpModel model = hard_model(40, 4);
  const MilpSolution first = solve(model, {.nodes = 500, .seed = 3});
  solve(hard_model(30, 3), {.nodes = 10, .seed = 5});
  const MilpSolution again = solve(model, {.nodes = 500, .seed = 3});
  CHECK(first.values == again.values);
  CHECK(first.nodes == again.nodes);
  CHECK(first.bound == again.bound);
}

}  // namespace berth
