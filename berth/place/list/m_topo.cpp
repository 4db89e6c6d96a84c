#include "berth/place/list/m_topo.h"

#include <algorithm>

#include "berth/place/list/list_schedule.h"
#include "berth/search/unit_assignment.h"
#include "berth/transform/contract.h"

namespace berth {
namespace {

std::int64_t need_alone(const UnitAssignment& units, UnitId unit) {
  return (units.weights(unit) + units.workspace(unit)).count;
}

std::int64_t cap(const Problem& problem, const UnitAssignment& units) {
  std::int64_t total = 0, largest = 0;
  for (const UnitId unit : problem.units()) {
    total += need_alone(units, unit);
    largest = std::max(largest, need_alone(units, unit));
  }
  return total / static_cast<std::int64_t>(problem.device_count()) + largest;
}

Outcome fill_in_order(const Problem& problem) {
  UnitAssignment units(problem);
  const std::int64_t limit = cap(problem, units);
  const std::size_t last = problem.device_count() - 1;
  std::size_t current = 0;
  for (const NodeId node : problem.graph().topological_order()) {
    const UnitId unit = problem.unit_of(node);
    if (units.device_of(unit)) continue;
    const auto is_full = [&](DeviceId device) {
      return problem.unit_allows(unit, device) &&
             (units.need(unit, device).count > limit || !units.has_room(unit, device));
    };
    while (current < last && is_full(static_cast<DeviceId>(current))) ++current;
    std::optional<DeviceId> chosen;
    for (std::size_t step = 0; step <= last && !chosen; ++step) {
      const auto device = static_cast<DeviceId>((current + step) % problem.device_count());
      if (units.may_take(unit, device)) chosen = device;
    }
    if (!chosen) return {.reason = units.refusal(node)};
    units.take(unit, *chosen);
  }
  UnitDevices device_of(problem.unit_count());
  for (const UnitId unit : problem.units()) device_of[unit] = *units.device_of(unit);
  return {.placement = from_units(problem, device_of)};
}

}  // namespace

void m_topo(const Context& context, const NoOptions&) {
  const Coarsening units = contract_units(context.problem);
  const Coarsening groups = contract_sole_consumers(units.problem);
  context.incumbent.take(expand(units, expand(groups, fill_in_order(groups.problem))));
}

}  // namespace berth
