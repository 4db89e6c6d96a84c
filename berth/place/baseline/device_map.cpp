#include "berth/place/baseline/device_map.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "berth/search/unit_assignment.h"

namespace berth {
namespace {

constexpr std::int64_t kNoLimit = std::numeric_limits<std::int64_t>::max() / 4;

// Units by the topological position of their first node.
std::vector<UnitId> modules_in_order(const Problem& problem) {
  IdVector<UnitId, std::uint8_t> seen(problem.unit_count());
  std::vector<UnitId> result;
  for (const NodeId node : problem.graph().topological_order())
    if (std::uint8_t& mark = seen[problem.unit_of(node)]; mark == 0) {
      mark = 1;
      result.push_back(problem.unit_of(node));
    }
  return result;
}

// largest[i] = size of the largest module after the i-th.
std::vector<std::int64_t> largest_to_come(const std::vector<UnitId>& modules,
                                          const UnitAssignment& units) {
  std::vector<std::int64_t> largest(modules.size(), 0);
  for (std::size_t i = modules.size() - 1; i > 0; --i)
    largest[i - 1] = std::max(largest[i], units.weights(modules[i]).count);
  return largest;
}

struct Slot {
  DeviceId device;
  std::int64_t limit;
  bool keeps_reserve;
  std::int64_t used = 0;
};

std::int64_t balanced_limit(const Problem& problem, const UnitAssignment& units,
                            std::size_t accelerators) {
  std::int64_t total = 0, modules = 0, largest_block = 0;
  for (const UnitId unit : problem.units()) {
    const std::int64_t size = units.weights(unit).count;
    total += size;
    modules += size > 0 ? 1 : 0;
    if (problem.members(unit).size() > 1) largest_block = std::max(largest_block, size);
  }
  const std::int64_t mean_leaf = total / std::max<std::int64_t>(modules, 1);
  const auto margin =
      static_cast<std::int64_t>(1.25 * static_cast<double>(std::max(largest_block, mean_leaf)));
  return total / static_cast<std::int64_t>(accelerators) + margin;
}

// Accelerators, then CPUs, each with what it may hold.
std::vector<Slot> slots(const Problem& problem, const UnitAssignment& units, bool balanced) {
  std::vector<Slot> accelerators, hosts;
  for (const DeviceId device : problem.devices()) {
    const Device& value = problem.cluster().device(device);
    std::vector<Slot>& kind = value.is_host() ? hosts : accelerators;
    kind.push_back({device, value.memory ? value.memory->count : kNoLimit, kind.empty()});
  }
  if (balanced && accelerators.size() == 1 && accelerators[0].limit != kNoLimit)
    accelerators[0].limit =
        static_cast<std::int64_t>(0.9 * static_cast<double>(accelerators[0].limit));
  if (balanced && accelerators.size() > 1) {
    const std::int64_t limit = balanced_limit(problem, units, accelerators.size());
    for (std::size_t i = 0; i + 1 < accelerators.size(); ++i)
      accelerators[i].limit = std::min(accelerators[i].limit, limit);
  }
  accelerators.insert(accelerators.end(), hosts.begin(), hosts.end());
  return accelerators;
}

}  // namespace

void device_map(const Context& context, const DeviceMapOptions& options) {
  const Problem& problem = context.problem;
  UnitAssignment units(problem);
  const std::vector<UnitId> modules = modules_in_order(problem);
  const std::vector<std::int64_t> reserve = largest_to_come(modules, units);
  std::vector<Slot> devices = slots(problem, units, options.balanced);
  for (Slot& slot : devices)  // units that have no choice are there before the walk begins
    for (const UnitId unit : problem.units())
      if (units.device_of(unit) == slot.device) slot.used += units.weights(unit).count;

  std::size_t current = 0;
  for (std::size_t i = 0; i < modules.size(); ++i) {
    const UnitId unit = modules[i];
    if (units.device_of(unit)) continue;
    const std::int64_t size = units.weights(unit).count;
    const auto fits = [&](const Slot& slot) {
      return slot.used + size <= slot.limit - (slot.keeps_reserve ? reserve[i] : 0);
    };
    // Leave full devices for good. One that may not hold the unit for other reasons is only passed.
    while (current < devices.size() && problem.unit_allows(unit, devices[current].device) &&
           !(fits(devices[current]) && units.has_room(unit, devices[current].device)))
      ++current;
    std::size_t chosen = current;
    while (chosen < devices.size() &&
           !(fits(devices[chosen]) && units.may_take(unit, devices[chosen].device)))
      ++chosen;
    if (chosen == devices.size()) {
      const std::string& name = problem.graph().node(problem.members(unit).front()).name;
      return context.incumbent.fail(
          fmt::format("no device is left for node {} and its {} bytes of weights; a "
                      "device once left is not used again",
                      name, size));
    }
    units.take(unit, devices[chosen].device);
    devices[chosen].used += size;
  }
  IdVector<UnitId, DeviceId> device_of(problem.unit_count());
  for (const UnitId unit : problem.units()) device_of[unit] = *units.device_of(unit);
  context.incumbent.suggest(from_units(problem, device_of));
}

}  // namespace berth
