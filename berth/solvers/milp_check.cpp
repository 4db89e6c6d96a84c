#include "berth/solvers/milp_check.h"

#include <chrono>
#include <cmath>

#include <fmt/format.h>

namespace berth {
namespace {

struct RowSum {
  double sum = 0, largest = 1;  // of the terms; at least 1
};

RowSum sum_of(const MilpModel& model, RowId row, std::span<const double> values) {
  RowSum result;
  for (const Term& term : model.terms(row)) {
    const double part = term.coefficient * values[index(term.variable)];
    result.sum += part;
    result.largest = std::max(result.largest, std::abs(part));
  }
  return result;
}

// Raises the only unknown variable of the row that moves its sum upwards (or downwards).
bool raise_one(const MilpModel& model, RowId row, const std::vector<bool>& unknown, double missing,
               std::vector<double>& values) {
  const double sign = missing > 0 ? 1 : -1;
  const Term* chosen = nullptr;
  for (const Term& term : model.terms(row)) {
    if (!unknown[index(term.variable)] || term.coefficient * sign <= 0) continue;
    if (chosen != nullptr) return false;
    chosen = &term;
  }
  if (chosen == nullptr) return false;
  double& value = values[index(chosen->variable)];
  const double before = value;
  value += missing / chosen->coefficient;
  if (model.variable(chosen->variable).integer) value = std::ceil(value - 1e-9);
  return value > before;
}

bool same(double a, double b, double tolerance) {
  return std::abs(a - b) <= tolerance * std::max({std::abs(a), std::abs(b), 1e-9});
}

bool is_proof(MilpStatus status) {
  return status == MilpStatus::kOptimal || status == MilpStatus::kInfeasible;
}

// Another kind of search: nothing of what may have misled the one before.
MilpOptions another_way(const MilpOptions& first, int number, std::uint64_t first_nodes) {
  constexpr std::uint64_t kAtLeast = 1000;
  MilpOptions other = first;
  other.plain = first.plain != (number % 2 == 1);
  other.seed = first.seed + static_cast<std::uint32_t>(number);
  other.nodes = std::max(kAtLeast, 10 * first_nodes);
  if (number > 1) other.start.clear();  // those that decide do not even know where the others began
  other.progress = {};
  return other;
}

std::string told(const MilpSolution& solution) {
  return solution.status == MilpStatus::kInfeasible
             ? "nothing is feasible"
             : fmt::format("{} with the bound {:.9g}", solution.message, solution.bound);
}

// The programs that came to their end, and the best solution of all and of what was known.
class Searches {
 public:
  Searches(std::optional<double> known, double tolerance)
      : best_(known.value_or(kNoLimit)), tolerance_(tolerance) {}

  void add(MilpSolution solution) {
    nodes_ += solution.nodes;
    best_ = std::min(best_, solution.objective);
    all_.push_back(std::move(solution));
  }
  // Nothing that was found says otherwise.
  bool holds(const MilpSolution& solution) const {
    if (solution.status == MilpStatus::kInfeasible) return !std::isfinite(best_);
    return solution.bound <= best_ + tolerance_ * std::max(std::abs(best_), 1e-9);
  }
  int agreeing() const {
    return static_cast<int>(std::ranges::count_if(all_, [&](const MilpSolution& one) {
      return is_proof(one.status) && holds(one) &&
             (one.status == MilpStatus::kInfeasible || same(one.bound, best_, tolerance_));
    }));
  }
  bool unanimous() const {
    return std::ranges::all_of(all_, [&](const MilpSolution& one) { return holds(one); });
  }
  std::string story() const {
    std::string text;
    for (const MilpSolution& one : all_) text += (text.empty() ? "" : "; then ") + told(one);
    return fmt::format("the solver says: {}; a solution with {:.9g} is known", text, best_);
  }
  // The solution with the least objective, with the least bound of those that hold.
  MilpSolution merged() const {
    MilpSolution result = *std::ranges::min_element(all_, {}, &MilpSolution::objective);
    result.bound = kNoLimit;
    for (const MilpSolution& one : all_)
      if (holds(one)) result.bound = std::min(result.bound, one.bound);
    if (result.bound == kNoLimit && std::isfinite(best_)) result.bound = -kNoLimit;
    result.nodes = nodes_;
    return result;
  }

 private:
  std::vector<MilpSolution> all_;
  std::uint64_t nodes_ = 0;
  double best_, tolerance_;
};

// Why the program does not speak of the known solution as it should.
std::optional<std::string> why_excluded(const MilpModel& model, std::span<const double> values,
                                        double known, double tolerance) {
  constexpr double kExact = 1e-7;  // of a solution computed here, with rounding alone
  if (values.empty()) return "the program has no variables for a placement that exists";
  if (const Violation violation = worst_violation(model, values); violation.amount > kExact)
    return fmt::format("the program excludes a placement that exists ({})", violation.where);
  if (const double objective = objective_of(model, values); !same(objective, known, tolerance))
    return fmt::format("the program gives a placement the value {:.9g} instead of {:.9g}",
                       objective, known);
  return std::nullopt;
}

}  // namespace

double objective_of(const MilpModel& model, std::span<const double> values) {
  double sum = model.offset;
  for (const VariableId id : model.variables()) sum += model.variable(id).cost * values[index(id)];
  return sum;
}

Violation worst_violation(const MilpModel& model, std::span<const double> values) {
  Violation worst;
  const auto consider = [&](double amount, auto text) {
    if (amount > worst.amount) worst = {amount, text()};
  };
  for (const VariableId id : model.variables()) {
    const Variable& variable = model.variable(id);
    const std::size_t j = index(id);
    const double value = values[j], size = std::max(1.0, std::abs(value));
    consider((variable.lower - value) / size,
             [&] { return fmt::format("variable {}: {} is below {}", j, value, variable.lower); });
    consider((value - variable.upper) / size,
             [&] { return fmt::format("variable {}: {} is above {}", j, value, variable.upper); });
    if (variable.integer)
      consider(std::abs(value - std::round(value)),
               [&] { return fmt::format("variable {}: {} is not an integer", j, value); });
  }
  for (const RowId row : model.rows()) {
    const RowSum at = sum_of(model, row, values);
    const double lower = model.row_lower(row), upper = model.row_upper(row);
    consider((lower - at.sum) / at.largest, [&] {
      return fmt::format("row {}: {} is below its lower side {}", index(row), at.sum, lower);
    });
    consider((at.sum - upper) / at.largest, [&] {
      return fmt::format("row {}: {} is above its upper side {}", index(row), at.sum, upper);
    });
  }
  return worst;
}

std::vector<double> least_completion(const MilpModel& model, std::vector<double> values) {
  std::vector<bool> unknown(model.variable_count(), false);
  for (const VariableId id : model.variables()) {
    if (!std::isnan(values[index(id)])) continue;
    unknown[index(id)] = true;
    const double lower = model.variable(id).lower;
    values[index(id)] = std::isfinite(lower) ? lower : 0.0;
  }
  // Each pass settles at least one more variable of a chain of rows, or is the last.
  for (std::size_t pass = 0; pass <= model.variable_count(); ++pass) {
    bool raised = false;
    for (const RowId row : model.rows()) {
      const RowSum at = sum_of(model, row, values);
      const double slack = 1e-12 * at.largest;
      const double lower = model.row_lower(row), upper = model.row_upper(row);
      if (at.sum < lower - slack)
        raised |= raise_one(model, row, unknown, lower - at.sum, values);
      else if (at.sum > upper + slack)
        raised |= raise_one(model, row, unknown, upper - at.sum, values);
    }
    if (!raised) break;
  }
  return values;
}

CheckedSolution solve_checked(const MilpModel& model, MilpOptions options,
                              std::optional<double> known, const ProofOptions& proof) {
  constexpr int kMostSearches = 4;
  CheckedSolution result;
  if (known) {
    if (!options.start.empty()) options.start = least_completion(model, std::move(options.start));
    result.contradiction = why_excluded(model, options.start, *known, proof.tolerance);
    if (result.contradiction) return result;
  }
  const auto begin = std::chrono::steady_clock::now();
  MilpSolution last = solve(model, options);
  const std::uint64_t first_nodes = last.nodes;
  Searches searches(known, proof.tolerance);
  const auto is_over = [&] {
    return !is_proof(last.status) || searches.agreeing() >= 2 ||
           model.variable_count() > proof.small;
  };
  searches.add(last);
  for (int number = 1; number < kMostSearches && !is_over(); ++number) {
    MilpOptions other = another_way(options, number, first_nodes);
    if (options.seconds)
      other.seconds = std::max(
          0.0, *options.seconds -
                   std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
    last = solve(model, other);
    searches.add(last);
  }
  result.solution = searches.merged();
  result.searches = searches.agreeing();
  if (searches.unanimous()) return result;
  if (result.searches >= 2) {
    result.dispute = searches.story();
  } else {
    result.contradiction = searches.story();
    result.solution.bound = -kNoLimit;
  }
  return result;
}

}  // namespace berth
