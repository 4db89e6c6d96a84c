// Programs against the truth that they model, and the solver against itself.
#include "berth/solvers/milp_check.h"

#include <cmath>
#include <limits>

#include <doctest/doctest.h>

using namespace berth;

namespace {

constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();

bool no_solver() {
  if (milp_available()) return false;
  MESSAGE("skipped: this build has no HiGHS");
  return true;
}

// Thirteen binaries and twelve rows in which presolve of HiGHS 1.14.0 to 1.15.1 goes wrong (its
// issue 3216): enumeration of small cliques fixes l and m, drops a + l + m = 1 with a still free,
// and calls the rest infeasible, or the start optimal. By enumeration of all 2^13 points the
// feasible ones are {a,d,k}, {a,c,f,g,i,j}, {a,b,e,g,j} and {a,b,d,f,g,h,i,j}; the least b is 0.
MilpModel dropped_clique() {
  MilpModel model;
  std::vector<VariableId> v;
  for (int i = 0; i < 13; ++i) v.push_back(model.add_binary(i == 1 ? 1 : 0));
  const auto at = [&](char name) { return v[static_cast<std::size_t>(name - 'a')]; };
  const auto row = [&](double lower, double upper, const char* plus, const char* minus) {
    std::vector<Term> terms;
    for (const char* c = plus; *c != 0; ++c) terms.push_back({at(*c), 1});
    for (const char* c = minus; *c != 0; ++c) terms.push_back({at(*c), -1});
    model.add_row(lower, upper, terms);
  };
  row(1, 1, "bck", "");
  row(1, 1, "cde", "");
  row(1, 1, "efk", "");
  row(1, 1, "jk", "l");
  row(0, 0, "ch", "i");
  row(1, 1, "alm", "");
  row(0, 0, "fm", "i");
  row(1, 1, "gkl", "");
  row(-kNoLimit, 0, "i", "g");
  row(-kNoLimit, 1, "bl", "");
  row(-kNoLimit, 0, "m", "k");
  row(-kNoLimit, 0, "m", "k");
  return model;
}

std::vector<double> point(const char* ones) {
  std::vector<double> values(13, 0.0);
  for (const char* c = ones; *c != 0; ++c) values[static_cast<std::size_t>(*c - 'a')] = 1;
  return values;
}

}  // namespace

TEST_CASE("the model that misled presolve has four solutions, and the solver finds the best") {
  const MilpModel model = dropped_clique();
  int feasible = 0;
  double least = kNoLimit;
  for (int bits = 0; bits < 1 << 13; ++bits) {
    std::vector<double> values(13);
    for (int i = 0; i < 13; ++i) values[static_cast<std::size_t>(i)] = bits >> i & 1;
    if (worst_violation(model, values).amount > 0) continue;
    ++feasible;
    least = std::min(least, objective_of(model, values));
  }
  CHECK(feasible == 4);
  CHECK(least == 0);
  if (no_solver()) return;
  const MilpSolution plain = solve(model, {.plain = true});
  CHECK(plain.objective == doctest::Approx(0));
  const MilpSolution usual = solve(model);
  CHECK(usual.status == MilpStatus::kOptimal);
  CHECK(usual.objective == doctest::Approx(0));
  const CheckedSolution checked = solve_checked(model, {.start = point("abegj")}, 1.0);
  CHECK_FALSE(checked.contradiction);
  CHECK(checked.solution.objective == doctest::Approx(0));
  CHECK(checked.searches >= 2);
}

TEST_CASE("violations are found in rows, limits and integrality, the worst first") {
  MilpModel model;
  const VariableId x = model.add_variable({.lower = 0, .upper = 2});
  const VariableId n = model.add_binary();
  model.add_row(1, 3, {{x, 1}, {n, 1}});
  CHECK(worst_violation(model, std::vector{1.0, 1.0}).amount == 0);
  CHECK(worst_violation(model, std::vector{1.0, 0.25}).where ==
        "variable 1: 0.25 is not an integer");
  CHECK(worst_violation(model, std::vector{0.0, 0.0}).where ==
        "row 0: 0 is below its lower side 1");
  CHECK(worst_violation(model, std::vector{5.0, 0.0}).amount ==
        doctest::Approx(0.6));  // (5 - 2) / 5
}

TEST_CASE("unknown clocks and cuts take the least values that the rows allow") {
  // finish = start + 3 x, start >= 2, T >= finish, cut >= x - y, with x = 1 and y = 0.
  MilpModel model;
  const VariableId top = model.add_variable({.cost = 1});
  const VariableId x = model.add_binary(), y = model.add_binary();
  const VariableId start = model.add_variable({}), finish = model.add_variable({});
  const VariableId cut = model.add_variable({.upper = 1});
  model.add_row(0, kNoLimit, {{top, 1}, {finish, -1}});
  model.add_row(0, 0, {{finish, 1}, {start, -1}, {x, -3}});
  model.add_row(2, kNoLimit, {{start, 1}});
  model.add_row(0, kNoLimit, {{cut, 1}, {x, -1}, {y, 1}});
  const std::vector<double> values =
      least_completion(model, {kUnknown, 1, 0, kUnknown, kUnknown, kUnknown});
  CHECK(values == std::vector<double>{5, 1, 0, 2, 5, 1});
  CHECK(worst_violation(model, values).amount == 0);
}

TEST_CASE("a program that cuts off a known solution, or prices it wrongly, proves nothing") {
  if (no_solver()) return;
  MilpModel model;
  const VariableId x = model.add_binary(1), y = model.add_binary(3);
  model.add_row(1, 1, {{x, 1}, {y, 1}});
  MilpModel wrong = model;
  wrong.add_row(1, 1, {{y, 1}});  // forbids x, which is the best
  const MilpOptions known{.start = {1, 0}};
  CHECK(solve_checked(model, known, 1.0).solution.bound == doctest::Approx(1));
  const CheckedSolution cut_off = solve_checked(wrong, known, 1.0);
  REQUIRE(cut_off.contradiction);
  CHECK(cut_off.contradiction->find("excludes a placement that exists") != std::string::npos);
  CHECK_FALSE(std::isfinite(cut_off.solution.bound));
  const CheckedSolution dear = solve_checked(model, known, 2.0);
  REQUIRE(dear.contradiction);
  CHECK(dear.contradiction->find("the value 1 instead of 2") != std::string::npos);
}

TEST_CASE("infeasible is believed when two searches say so and nothing is known") {
  if (no_solver()) return;
  MilpModel model;
  const VariableId x = model.add_binary(), y = model.add_binary();
  model.add_row(1, 1, {{x, 1}, {y, 1}});
  model.add_row(2, kNoLimit, {{x, 1}, {y, 1}});
  const CheckedSolution checked = solve_checked(model, {}, std::nullopt);
  CHECK(checked.solution.status == MilpStatus::kInfeasible);
  CHECK(checked.searches == 2);
  CHECK_FALSE(checked.contradiction);
}
