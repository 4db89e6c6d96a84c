#include "berth/search/fit_weights.h"

#include <algorithm>

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
  if (const std::optional<std::string> why = why_impossible(problem))
    return {.impossible = true, .why = *why};
  if (problem.unit_count() * devices > kMostVariables || !milp_available()) return {};

  MilpModel model;
  std::vector<std::optional<VariableId>> on(problem.unit_count() * devices);
  const auto x = [&](UnitId unit, DeviceId device) -> std::optional<VariableId>& {
    return on[index(unit) * devices + index(device)];
  };
  std::vector<std::vector<Term>> held(devices);
  for (const UnitId unit : problem.units()) {
    const double bytes = static_cast<double>(unit_graph(problem).weights(unit).count);
    std::vector<Term> somewhere;
    for (const DeviceId device : problem.devices()) {
      if (!problem.unit_allows(unit, device)) continue;
      const VariableId here = model.add_binary(unit_graph(problem).time(unit, device));
      x(unit, device) = here;
      somewhere.push_back({here, 1.0});
      // In units of the limit: raw bytes would swamp the solver's tolerances.
      if (const std::optional<Bytes> limit = problem.cluster().device(device).memory)
        held[index(device)].push_back(
            {here, bytes / std::max(1.0, static_cast<double>(limit->count))});
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
        if (x(unit, device)) sharing.push_back({*x(unit, device), 1.0});
      model.add_row(-kNoLimit, 1, sharing);
    }

  MilpOptions options{.nodes = 20000,
                      .relative_gap = 0.05,  // any good packing will do: a search goes on from it
                      .stop = [&] { return budget.stopped(); }};
  if (const std::optional<double> left = budget.seconds_left())
    options.seconds = std::min(*left, kMostSeconds);
  const CheckedSolution checked = solve_checked(model, options, std::nullopt);
  const MilpSolution& solution = checked.solution;
  WeightFit fit;
  fit.impossible = solution.status == MilpStatus::kInfeasible && !checked.contradiction;
  fit.why = "the weights do not fit the memory limits and constraints, however they are placed";
  if (!solution.has_values()) return fit;
  fit.units.emplace(problem.unit_count());
  for (const UnitId unit : problem.units())
    for (const DeviceId device : problem.devices())
      if (x(unit, device) && solution.values[*x(unit, device)] > 0.5) (*fit.units)[unit] = device;
  return fit;
}

}  // namespace berth
