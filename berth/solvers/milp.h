// A linear or mixed-integer program as a value, and the one function that solves it.
//
//   minimise    offset + sum of cost_j x_j
//   subject to  lower_i <= sum of a_ij x_j <= upper_i    for every row i
//               lower_j <= x_j <= upper_j,  x_j integer where marked
//
// Without integer variables this is a linear program. The solver (HiGHS, in solvers/highs.cpp) is a
// module: ask milp_available() before relying on it. It takes one thread; one seed and no
// time limit give the same answer each time.
//
// Bounds. The solver's dual bound is right up to its tolerances. Where a bound must hold for
// certain, weak_dual_bound() computes one from any vector of row multipliers y by weak duality:
//   c x  >=  sum_i (y_i > 0 ? y_i lower_i : y_i upper_i) + sum_j min over x_j of (c_j - y a_j) x_j
// which needs no optimality of y, only bounds on the variables whose reduced cost is not zero.
#pragma once

#include <algorithm>
#include <functional>
#include <initializer_list>
#include <limits>
#include <optional>
#include <string>

#include "berth/base/ids.h"

namespace berth {

enum class VariableId : std::uint32_t {};
enum class RowId : std::uint32_t {};

inline constexpr double kNoLimit = std::numeric_limits<double>::infinity();

struct Variable {
  double lower = 0;
  double upper = kNoLimit;
  double cost = 0;
  bool integer = false;

  friend bool operator==(const Variable&, const Variable&) = default;
};

struct Term {
  VariableId variable;
  double coefficient = 1;

  friend bool operator==(const Term&, const Term&) = default;
};

class MilpModel {
 public:
  double offset = 0;

  VariableId add_variable(Variable variable) { return variables_.push_back(variable); }
  VariableId add_binary(double cost = 0) {
    return add_variable({.lower = 0, .upper = 1, .cost = cost, .integer = true});
  }
  // Terms of one variable are added up; zero coefficients are dropped.
  RowId add_row(double lower, double upper, std::span<const Term> terms);
  RowId add_row(double lower, double upper, std::initializer_list<Term> terms) {
    return add_row(lower, upper, std::span<const Term>(terms.begin(), terms.size()));
  }

  // Whether any of the binaries is set: a variable that is at least as large as each.
  VariableId add_any(std::span<const VariableId> binaries) {
    const VariableId any = add_variable({.lower = 0, .upper = 1});
    for (const VariableId binary : binaries) add_row(0, kNoLimit, {{any, 1}, {binary, -1}});
    return any;
  }

  // `excess` is at least a - b.
  RowId add_excess(VariableId excess, VariableId a, VariableId b) {
    return add_row(0, kNoLimit, {{excess, 1}, {a, -1}, {b, 1}});
  }

  std::size_t variable_count() const { return variables_.size(); }
  std::size_t row_count() const { return rows_.size(); }
  IdRange<VariableId> variables() const { return variables_.ids(); }
  IdRange<RowId> rows() const { return rows_.ids(); }
  const Variable& variable(VariableId id) const { return variables_[id]; }
  Variable& variable(VariableId id) { return variables_[id]; }
  double row_lower(RowId row) const { return rows_[row].lower; }
  double row_upper(RowId row) const { return rows_[row].upper; }
  std::span<const Term> terms(RowId row) const {
    return {terms_.data() + rows_[row].begin, terms_.data() + rows_[row].end};
  }
  std::size_t term_count() const { return terms_.size(); }
  bool has_integers() const { return std::ranges::any_of(variables_, &Variable::integer); }

  friend bool operator==(const MilpModel&, const MilpModel&) = default;

 private:
  struct Row {
    double lower = 0, upper = 0;
    std::size_t begin = 0, end = 0;  // into terms_
    friend bool operator==(const Row&, const Row&) = default;
  };
  IdVector<VariableId, Variable> variables_;
  IdVector<RowId, Row> rows_;
  std::vector<Term> terms_;  // row by row, variables ascending
};

struct MilpProgress {
  std::optional<double> incumbent{};  // objective of the best solution so far
  std::optional<double> bound{};      // on the optimum
  std::uint64_t nodes = 0;
  double seconds = 0;
};

enum class LpMethod : std::uint8_t {
  kChoose,  // the solver's choice
  kSimplex,
  kInteriorPoint,  // without crossover: faster on large programs, values are not at a vertex
};

struct MilpOptions {
  std::optional<double> seconds{};       // wall-clock limit
  std::optional<std::uint64_t> nodes{};  // limit of the branch-and-bound tree
  double relative_gap = 1e-9;            // optimal when incumbent - bound <= this * |incumbent|
  double tolerance = 1e-6;               // how far integers and rows may be off, absolutely
  std::uint32_t seed = 0;
  LpMethod lp_method = LpMethod::kChoose;
  // Without presolve, symmetry detection and restarts: slow, and hard to mislead.
  bool plain = false;
  // A value per variable, NaN where not known (the solver completes it). Empty: none.
  std::vector<double> start{};
  // Asked often; true ends the search, which keeps its incumbent. Ctrl-C comes in here.
  std::function<bool()> stop{};
  std::function<void(const MilpProgress&)> progress{};
  // Each better solution as it is found.
  std::function<void(std::span<const double> values, double objective)> improved{};
};

enum class MilpStatus : std::uint8_t {
  kOptimal,     // within the gap asked for
  kFeasible,    // a limit or a stop ended the search; values hold the best solution found
  kNoSolution,  // a limit or a stop ended the search before any solution
  kInfeasible,
  kUnbounded,
  kFailed,  // numerical trouble; `message` says what the solver said
};

struct MilpSolution {
  MilpStatus status = MilpStatus::kNoSolution;
  IdVector<VariableId, double> values{};  // empty without a solution
  IdVector<RowId, double> duals{};        // linear programs, when known: multiplier of each row
  double objective = kNoLimit;            // of the values
  double bound = -kNoLimit;               // no solution has a smaller objective
  std::uint64_t nodes = 0;
  std::string message{};

  bool has_values() const { return !values.empty(); }
};

// Whether there is a solver; opens its module.
bool milp_available();
// Throws Error when there is no solver. Exceptions of the callbacks pass through.
MilpSolution solve(const MilpModel& model, const MilpOptions& options = {});

// A valid lower bound of the linear relaxation from any multipliers; -infinity when a variable
// without a bound has a reduced cost of the wrong sign.
double weak_dual_bound(const MilpModel& model, const IdVector<RowId, double>& multipliers);

const char* to_string(MilpStatus status);

}  // namespace berth
