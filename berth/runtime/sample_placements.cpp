#include "berth/runtime/sample_placements.h"

#include <algorithm>
#include <cmath>

namespace berth {
namespace {

// The device wanted, where the unit may use it.
DeviceId random_device(const Problem& problem, UnitId unit, DeviceId wanted, Rng& rng) {
  if (problem.unit_allows(unit, wanted)) return wanted;
  std::vector<DeviceId> allowed;
  for (const DeviceId device : problem.devices())
    if (problem.unit_allows(unit, device)) allowed.push_back(device);
  return allowed.empty() ? wanted : allowed[rng.below(allowed.size())];
}

}  // namespace

Placement sample_placement(const Problem& problem, Rng& rng) {
  const std::size_t units = problem.unit_count();
  const double most = std::max<double>(2, static_cast<double>(units));
  const double segments =
      std::exp(std::log(2.0) + rng.uniform() * (std::log(most) - std::log(2.0)));
  const double chance = segments / static_cast<double>(std::max<std::size_t>(units, 1));

  IdVector<UnitId, DeviceId> device_of(units, DeviceId{0});
  std::vector<bool> seen(units, false);
  DeviceId present = static_cast<DeviceId>(rng.below(problem.device_count()));
  for (const NodeId node : problem.graph().topological_order()) {
    const UnitId unit = problem.unit_of(node);
    if (seen[index(unit)]) continue;
    seen[index(unit)] = true;
    if (rng.uniform() < chance) present = static_cast<DeviceId>(rng.below(problem.device_count()));
    device_of[unit] = random_device(problem, unit, present, rng);
  }
  return from_units(problem, device_of);
}

}  // namespace berth
