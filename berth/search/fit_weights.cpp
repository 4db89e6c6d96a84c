#include "berth/search/fit_weights.h"

#include <algorithm>
#include <vector>

#include "berth/search/impossible.h"
#include "berth/solvers/milp_check.h"
#include "berth/unit_graph.h"

namespace berth {
namespace {

constexpr std::size_t kMostVariables = 100000;
constexpr double kMostSeconds = 20;

}  // namespace

WeightFit fit_weights(const Problem& problem, const Budget& budget) {
  const std::size_t devices = problem.device_count();
  WeightFit fit;
  if (const std::optional<std::string> why = why_impossible(problem)) {
    fit.impossible = true;
    fit.why = *why;
    return fit;
  }
  if (problem.unit_count() * devices > kMostVariables || !milp_available()) return fit;

  MilpModel model;
  std::vector<std::optional<VariableId>> on(problem.unit_count() * devices);
  std::vector<std::vector<Term>> held(devices);
  for (const UnitId unit : problem.units()) {
    const double bytes = static_cast<double>(unit_graph(problem).weights(unit).count);
    std::vector<Term> somewhere;
    for (const DeviceId device : problem.devices()) {
      if (!problem.unit_allows(unit, device)) continue;
      const VariableId x = model.add_binary(unit_graph(problem).time(unit, device));
      on[index(unit) * devices + index(device)] = x;
      somewhere.push_back({x, 1.0});
      // In units of the limit: raw bytes would swamp the solver's tolerances.
      if (const std::optional<Bytes> limit = problem.cluster().device(device).memory)
        held[index(device)].push_back(
            {x, bytes / std::max(1.0, static_cast<double>(limit->count))});
    }
    model.add_row(1, 1, somewhere);
  }
  for (const DeviceId device : problem.devices())
    if (const std::optional<Bytes> limit = problem.cluster().device(device).memory)
      model.add_row(-kNoLimit, limit->count > 0 ? 1.0 : 0.0, held[index(device)]);
  for (const std::vector<UnitId>& set : problem.apart())
    for (const DeviceId device : problem.devices()) {
      std::vector<Term> sharing;
      for (const UnitId unit : set)
        if (on[index(unit) * devices + index(device)])
          sharing.push_back({*on[index(unit) * devices + index(device)], 1.0});
      model.add_row(-kNoLimit, 1, sharing);
    }

  MilpOptions options;
  options.relative_gap = 0.05;  // any good packing will do: a search goes on from it
  options.nodes = 20000;
  if (const std::optional<double> left = budget.seconds_left())
    options.seconds = std::min(*left, kMostSeconds);
  options.stop = [&] { return budget.stopped(); };
  const CheckedSolution checked = solve_checked(model, options, std::nullopt);
  const MilpSolution& solution = checked.solution;
  fit.impossible = solution.status == MilpStatus::kInfeasible && !checked.contradiction;
  fit.why = "the weights do not fit the memory limits and constraints, however they are placed";
  if (!solution.has_values()) return fit;
  IdVector<UnitId, DeviceId> units(problem.unit_count());
  for (const UnitId unit : problem.units())
    for (const DeviceId device : problem.devices()) {
      const std::optional<VariableId> x = on[index(unit) * devices + index(device)];
      if (x && solution.values[*x] > 0.5) units[unit] = device;
    }
  fit.units = std::move(units);
  return fit;
}

}  // namespace berth
