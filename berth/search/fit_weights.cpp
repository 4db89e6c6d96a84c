#include "berth/search/fit_weights.h"

#include <algorithm>

#include "berth/search/impossible.h"
#include "berth/solvers/milp_check.h"
#include "berth/unit_graph.h"

namespace berth {
namespace {

constexpr std::size_t kMostVariables = 100000;
constexpr double kMostSeconds = 20;

// The program of the header.
class Packing {
 public:
  explicit Packing(const Problem& problem)
      : problem_(problem),
        units_(unit_graph(problem)),
        on_(problem.unit_count() * problem.device_count()),
        held_(problem.device_count()) {
    for (const UnitId unit : problem.units()) add_unit(unit);
    for (const UnitGraph::SharedWeight& shared : units_.shared_weights())
      for (const DeviceId device : problem.devices()) add_shared(shared, device);
    for (const DeviceId device : problem.devices())
      if (const std::optional<Bytes>& limit = limit_of(device))
        model_.add_row(-kNoLimit, limit->count > 0 ? 1.0 : 0.0, held_[device]);
    for (const std::vector<UnitId>& set : problem.apart())
      for (const DeviceId device : problem.devices()) add_apart(set, device);
  }

  const MilpModel& model() const { return model_; }

  UnitDevices decode(const MilpSolution& solution) const {
    UnitDevices devices(problem_.unit_count());
    for (const UnitId unit : problem_.units())
      for (const DeviceId device : problem_.devices())
        if (const std::optional<VariableId>& here = x(unit, device))
          if (solution.values[*here] > 0.5) devices[unit] = device;
    return devices;
  }

 private:
  const std::optional<Bytes>& limit_of(DeviceId device) const {
    return problem_.cluster().device(device).memory;
  }
  // Empty where the unit may not go.
  const std::optional<VariableId>& x(UnitId unit, DeviceId device) const {
    return on_[index(unit) * problem_.device_count() + index(device)];
  }

  // In units of the limit: raw bytes would swamp the solver's tolerances.
  void hold(DeviceId device, VariableId variable, Bytes bytes) {
    if (const std::optional<Bytes>& limit = limit_of(device))
      held_[device].push_back({variable, static_cast<double>(bytes.count) /
                                             std::max(1.0, static_cast<double>(limit->count))});
  }

  void add_unit(UnitId unit) {
    std::vector<Term> somewhere;
    for (const DeviceId device : problem_.devices()) {
      if (!problem_.unit_allows(unit, device)) continue;
      const VariableId here = model_.add_binary(units_.time(unit, device));
      on_[index(unit) * problem_.device_count() + index(device)] = here;
      somewhere.push_back({here, 1.0});
      hold(device, here, units_.private_weights(unit));
    }
    model_.add_row(1, 1, somewhere);
  }

  void add_shared(const UnitGraph::SharedWeight& shared, DeviceId device) {
    std::vector<VariableId> holders;
    if (x(shared.net.producer, device)) holders.push_back(*x(shared.net.producer, device));
    for (const UnitId user : units_.consumers(shared.net))
      if (x(user, device)) holders.push_back(*x(user, device));
    if (limit_of(device)) hold(device, model_.add_any(holders), shared.size);
  }

  void add_apart(const std::vector<UnitId>& set, DeviceId device) {
    std::vector<Term> sharing;
    for (const UnitId unit : set)
      if (x(unit, device)) sharing.push_back({*x(unit, device), 1.0});
    model_.add_row(-kNoLimit, 1, sharing);
  }

  const Problem& problem_;
  const UnitGraph& units_;
  MilpModel model_;
  std::vector<std::optional<VariableId>> on_;
  IdVector<DeviceId, std::vector<Term>> held_;
};

}  // namespace

WeightFit fit_weights(const Problem& problem, const Budget& budget) {
  if (const std::optional<std::string> why = why_impossible(problem))
    return {.impossible = true, .why = *why};
  if (problem.unit_count() * problem.device_count() > kMostVariables || !milp_available())
    return {};

  const Packing packing(problem);
  MilpOptions options{.nodes = 20000,
                      .relative_gap = 0.05,  // any good packing will do: a search goes on from it
                      .stop = [&] { return budget.stopped(); }};
  if (const std::optional<double> left = budget.seconds_left())
    options.seconds = std::min(*left, kMostSeconds);
  const CheckedSolution checked = solve_checked(packing.model(), options, std::nullopt);
  WeightFit fit;
  fit.impossible = checked.solution.status == MilpStatus::kInfeasible && !checked.contradiction;
  fit.why = "the weights do not fit the memory limits and constraints, however they are placed";
  if (checked.solution.has_values()) fit.units = packing.decode(checked.solution);
  return fit;
}

}  // namespace berth
