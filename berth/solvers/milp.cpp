#include "berth/solvers/milp.h"

#include <algorithm>
#include <cassert>
#include <cmath>

#include "berth/base/error.h"
#include "berth/modules/module.h"

namespace berth {

RowId MilpModel::add_row(double lower, double upper, std::span<const Term> terms) {
  const std::size_t begin = terms_.size();
  terms_.insert(terms_.end(), terms.begin(), terms.end());
  const auto first = terms_.begin() + static_cast<std::ptrdiff_t>(begin);
  std::sort(first, terms_.end(),
            [](const Term& a, const Term& b) { return a.variable < b.variable; });
  std::size_t kept = begin;
  for (std::size_t i = begin; i < terms_.size();) {
    Term sum{terms_[i].variable, 0.0};
    assert(index(sum.variable) < variable_count());  // a row may name only known variables
    for (; i < terms_.size() && terms_[i].variable == sum.variable; ++i)
      sum.coefficient += terms_[i].coefficient;
    if (sum.coefficient != 0) terms_[kept++] = sum;
  }
  terms_.resize(kept);
  return rows_.push_back({lower, upper, begin, kept});
}

bool MilpModel::has_integers() const {
  return std::any_of(variables_.begin(), variables_.end(),
                     [](const Variable& v) { return v.integer; });
}

double weak_dual_bound(const MilpModel& model, const IdVector<RowId, double>& multipliers) {
  assert(multipliers.size() == model.row_count());
  IdVector<VariableId, double> reduced(model.variable_count());
  for (const VariableId v : reduced.ids()) reduced[v] = model.variable(v).cost;

  double bound = model.offset;
  for (const RowId row : multipliers.ids()) {
    double y = multipliers[row];
    const double side = y > 0 ? model.row_lower(row) : model.row_upper(row);
    if (y == 0 || !std::isfinite(side)) continue;  // a multiplier of the wrong sign proves nothing
    bound += y * side;
    for (const Term& term : model.terms(row)) reduced[term.variable] -= y * term.coefficient;
  }
  for (const VariableId v : reduced.ids()) {
    const double r = reduced[v];
    if (r == 0) continue;
    bound += r * (r > 0 ? model.variable(v).lower : model.variable(v).upper);
  }
  return std::isnan(bound) ? -kNoLimit : bound;
}

const char* to_string(MilpStatus status) {
  switch (status) {
    case MilpStatus::kOptimal:
      return "optimal";
    case MilpStatus::kFeasible:
      return "feasible";
    case MilpStatus::kNoSolution:
      return "no solution found";
    case MilpStatus::kInfeasible:
      return "infeasible";
    case MilpStatus::kUnbounded:
      return "unbounded";
    case MilpStatus::kFailed:
      return "failed";
  }
  return "?";
}

bool milp_available() {
  static const bool available = [] {
    try {
      load_module(ModuleKind::kHighs);
      return true;
    } catch (const Error&) {
      return false;
    }
  }();
  return available;
}

MilpSolution solve(const MilpModel& model, const MilpOptions& options) {
  return load_module(ModuleKind::kHighs).solve(model, options);
}

}  // namespace berth
