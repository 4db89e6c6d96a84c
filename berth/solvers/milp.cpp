#include "berth/solvers/milp.h"

#include <cmath>

#include "berth/base/error.h"
#include "berth/modules/module.h"

namespace berth {

RowId MilpModel::add_row(double lower, double upper, std::span<const Term> terms) {
  const std::size_t begin = terms_.size();
  terms_.insert(terms_.end(), terms.begin(), terms.end());
  std::ranges::sort(std::span(terms_).subspan(begin), {}, &Term::variable);
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

double weak_dual_bound(const MilpModel& model, const IdVector<RowId, double>& multipliers) {
  assert(multipliers.size() == model.row_count());
  IdVector<VariableId, double> reduced(model.variable_count());
  for (const VariableId v : reduced.ids()) reduced[v] = model.variable(v).cost;

  double bound = model.offset;
  for (const RowId row : multipliers.ids()) {
    const double y = multipliers[row];
    const double side = y > 0 ? model.row_lower(row) : model.row_upper(row);
    if (y == 0 || !std::isfinite(side)) continue;  // a multiplier of the wrong sign proves nothing
    bound += y * side;
    for (const Term& term : model.terms(row)) reduced[term.variable] -= y * term.coefficient;
  }
  for (const VariableId v : reduced.ids())
    if (const double r = reduced[v]; r != 0)
      bound += r * (r > 0 ? model.variable(v).lower : model.variable(v).upper);
  return std::isnan(bound) ? -kNoLimit : bound;
}

const char* to_string(MilpStatus status) {
  constexpr std::array kWords{"optimal",    "feasible",  "no solution found",
                              "infeasible", "unbounded", "failed"};
  return kWords[static_cast<std::size_t>(status)];
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
