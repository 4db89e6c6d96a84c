// The HiGHS module: solves a MilpModel.

#include <algorithm>
#include <array>
#include <cmath>
#include <exception>

#include <Highs.h>

#include "berth/base/fail.h"
#include "berth/modules/build_config.h"
#include "berth/modules/module.h"
#include "berth/solvers/milp.h"

namespace berth {
namespace {

HighsLp to_highs(const MilpModel& model) {
  HighsLp lp;
  lp.num_col_ = static_cast<HighsInt>(model.variable_count());
  lp.num_row_ = static_cast<HighsInt>(model.row_count());
  lp.sense_ = ObjSense::kMinimize;
  lp.offset_ = model.offset;
  const bool integers = model.has_integers();
  for (const VariableId id : model.variables()) {
    const Variable& variable = model.variable(id);
    lp.col_cost_.push_back(variable.cost);
    lp.col_lower_.push_back(variable.lower);
    lp.col_upper_.push_back(variable.upper);
    if (integers)
      lp.integrality_.push_back(variable.integer ? HighsVarType::kInteger
                                                 : HighsVarType::kContinuous);
  }
  lp.a_matrix_.format_ = MatrixFormat::kRowwise;
  lp.a_matrix_.num_col_ = lp.num_col_;
  lp.a_matrix_.num_row_ = lp.num_row_;
  lp.a_matrix_.start_.assign(1, 0);
  lp.a_matrix_.index_.reserve(model.term_count());
  lp.a_matrix_.value_.reserve(model.term_count());
  for (const RowId row : model.rows()) {
    lp.row_lower_.push_back(model.row_lower(row));
    lp.row_upper_.push_back(model.row_upper(row));
    for (const Term& term : model.terms(row)) {
      lp.a_matrix_.index_.push_back(static_cast<HighsInt>(index(term.variable)));
      lp.a_matrix_.value_.push_back(term.coefficient);
    }
    lp.a_matrix_.start_.push_back(static_cast<HighsInt>(lp.a_matrix_.index_.size()));
  }
  return lp;
}

// Presolve by enumeration of small cliques is wrong from 1.14.0 to 1.15.1: it drops a row
// "sum of x = 1" when all but one of its variables are fixed to 0, and leaves the last one free
// (issue 3216 of HiGHS; tests/solvers/milp_check_test.cpp has a small model). Off in every
// version: our programs are faster without it.
constexpr HighsInt kEnumerationRule = 1 << 16;

void set_options(Highs& highs, const MilpOptions& options) {
  highs.setOptionValue("presolve_rule_off", kEnumerationRule);
  highs.setOptionValue("output_flag", false);
  highs.setOptionValue("threads", HighsInt{1});
  highs.setOptionValue("parallel", "off");
  highs.setOptionValue("random_seed", static_cast<HighsInt>(options.seed & 0x7fffffffU));
  highs.setOptionValue("mip_rel_gap", options.relative_gap);
  highs.setOptionValue("mip_feasibility_tolerance", options.tolerance);
  highs.setOptionValue("mip_abs_gap", 0.0);  // the relative one decides, whatever the units
  if (options.seconds) highs.setOptionValue("time_limit", *options.seconds);
  if (options.nodes)
    highs.setOptionValue("mip_max_nodes", static_cast<HighsInt>(std::min<std::uint64_t>(
                                              *options.nodes, 0x7fffffffU)));
  if (options.plain) {
    highs.setOptionValue("presolve", "off");
    highs.setOptionValue("mip_detect_symmetry", false);
    highs.setOptionValue("mip_allow_restart", false);
  }
  if (options.lp_method == LpMethod::kSimplex) highs.setOptionValue("solver", "simplex");
  if (options.lp_method == LpMethod::kInteriorPoint) {
    highs.setOptionValue("solver", "ipm");
    highs.setOptionValue("run_crossover", "off");
  }
}

// The solver's calls to the outside. An exception may not travel through HiGHS: it is kept, the
// search is ended, and solve() throws it again.
class Listener {
 public:
  Listener(const MilpOptions& options, bool integers) : options_(options), integers_(integers) {}

  void listen_to(Highs& highs) {
    highs.setCallback([this](int kind, const std::string&, const HighsCallbackOutput* out,
                             HighsCallbackInput* in, void*) { heard(kind, *out, in); });
    for (const HighsCallbackType kind :
         {kCallbackSimplexInterrupt, kCallbackIpmInterrupt, kCallbackMipInterrupt})
      highs.startCallback(kind);
    if (options_.progress) highs.startCallback(kCallbackMipLogging);
    if (options_.progress || options_.improved) highs.startCallback(kCallbackMipImprovingSolution);
  }
  void rethrow() const {
    if (exception_) std::rethrow_exception(exception_);
  }

 private:
  void heard(int kind, const HighsCallbackOutput& out, HighsCallbackInput* in) {
    try {
      if (kind == kCallbackMipImprovingSolution && options_.improved)
        options_.improved(out.mip_solution, out.objective_function_value);
      if (kind == kCallbackMipImprovingSolution || kind == kCallbackMipLogging)
        report(out);
      else if (in != nullptr)
        in->user_interrupt = exception_ || (options_.stop && options_.stop());
    } catch (...) {
      exception_ = std::current_exception();
    }
  }
  void report(const HighsCallbackOutput& out) const {
    if (!options_.progress) return;
    MilpProgress progress{.nodes = static_cast<std::uint64_t>(out.mip_node_count),
                          .seconds = out.running_time};
    if (std::abs(out.mip_primal_bound) < kHighsInf) progress.incumbent = out.mip_primal_bound;
    if (integers_ && std::abs(out.mip_dual_bound) < kHighsInf) progress.bound = out.mip_dual_bound;
    options_.progress(progress);
  }

  const MilpOptions& options_;
  bool integers_;
  std::exception_ptr exception_;
};

void set_start(Highs& highs, const MilpOptions& options) {
  std::vector<HighsInt> columns;
  std::vector<double> values;
  for (std::size_t j = 0; j < options.start.size(); ++j) {
    if (std::isnan(options.start[j])) continue;
    columns.push_back(static_cast<HighsInt>(j));
    values.push_back(options.start[j]);
  }
  if (!columns.empty())
    highs.setSolution(static_cast<HighsInt>(columns.size()), columns.data(), values.data());
}

MilpStatus status_of(HighsModelStatus status, bool feasible) {
  using Status = HighsModelStatus;
  constexpr std::array kEnded{Status::kTimeLimit,      Status::kIterationLimit,
                              Status::kSolutionLimit,  Status::kInterrupt,
                              Status::kHighsInterrupt, Status::kMemoryLimit,
                              Status::kObjectiveBound, Status::kObjectiveTarget};
  if (status == Status::kModelEmpty || status == Status::kOptimal) return MilpStatus::kOptimal;
  if (status == Status::kInfeasible) return MilpStatus::kInfeasible;
  if (status == Status::kUnbounded) return MilpStatus::kUnbounded;
  if (std::ranges::find(kEnded, status) == kEnded.end()) return MilpStatus::kFailed;
  return feasible ? MilpStatus::kFeasible : MilpStatus::kNoSolution;
}

MilpSolution read_solution(const Highs& highs, const MilpModel& model) {
  const HighsInfo& info = highs.getInfo();
  const HighsSolution& found = highs.getSolution();
  const bool integers = model.has_integers();
  const bool feasible = info.primal_solution_status == kSolutionStatusFeasible && found.value_valid;
  MilpSolution solution;
  solution.status = status_of(highs.getModelStatus(), feasible);
  solution.message = highs.modelStatusToString(highs.getModelStatus());
  solution.nodes = static_cast<std::uint64_t>(std::max<std::int64_t>(info.mip_node_count, 0));
  const bool optimal = solution.status == MilpStatus::kOptimal;
  if (feasible && (optimal || solution.status == MilpStatus::kFeasible)) {
    solution.values = IdVector<VariableId, double>(found.col_value);
    solution.objective = info.objective_function_value;
  }
  if (!integers && found.dual_valid) solution.duals = IdVector<RowId, double>(found.row_dual);
  if (integers && std::abs(info.mip_dual_bound) < kHighsInf) solution.bound = info.mip_dual_bound;
  if (!integers && optimal) solution.bound = solution.objective;
  if (solution.status == MilpStatus::kInfeasible) solution.bound = kNoLimit;
  if (solution.status == MilpStatus::kUnbounded) solution.bound = -kNoLimit;
  return solution;
}

MilpSolution solve_by_highs(const MilpModel& model, const MilpOptions& options) {
  Highs highs;
  set_options(highs, options);
  if (highs.passModel(to_highs(model)) == HighsStatus::kError)
    return {.status = MilpStatus::kFailed, .message = "the solver rejects the model"};
  set_start(highs, options);
  Listener listener(options, model.has_integers());
  listener.listen_to(highs);
  if (options.stop && options.stop())
    return {.status = MilpStatus::kNoSolution, .message = "stopped before it began"};
  highs.run();
  listener.rethrow();
  if (highs.getModelStatus() == HighsModelStatus::kUnboundedOrInfeasible) {
    // Presolve cannot tell the two apart; the solver itself can.
    highs.setOptionValue("presolve", "off");
    highs.run();
    listener.rethrow();
  }
  return read_solution(highs, model);
}

// minimise -3x - 2y with x + y <= 4, x + 3y <= 6, x <= 3: at (3, 1).
std::string self_check() {
  MilpModel model;
  const VariableId x = model.add_variable({.upper = 3, .cost = -3});
  const VariableId y = model.add_variable({.cost = -2});
  model.add_row(-kNoLimit, 4, {{x, 1}, {y, 1}});
  model.add_row(-kNoLimit, 6, {{x, 1}, {y, 3}});
  const MilpSolution solution = solve_by_highs(model, {});
  if (solution.status != MilpStatus::kOptimal || std::abs(solution.objective + 11) > 1e-6)
    fail("HiGHS finds {} ({}) where the optimum is -11", solution.objective, solution.message);
  return "solves a small program";
}

}  // namespace

extern "C" const ModuleInterface* berth_module() {
  static const std::string version = Highs().version();
  static const ModuleInterface module{.berth_version = BERTH_VERSION,
                                      .version = version,
                                      .self_check = self_check,
                                      .solve = solve_by_highs};
  return &module;
}

}  // namespace berth
