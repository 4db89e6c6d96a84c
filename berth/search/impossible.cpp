#include "berth/search/impossible.h"

#include <algorithm>

#include <fmt/format.h>

#include "berth/search/unit_assignment.h"

namespace berth {
namespace {

std::string name_of(const Problem& problem, UnitId unit) {
  return problem.graph().node(problem.members(unit).front()).name;
}

std::optional<std::string> oversized_unit(const Problem& problem) {
  const UnitWeights alone(problem);
  for (const UnitId unit : problem.units()) {
    std::int64_t largest = 0;
    bool unlimited = false;
    for (const DeviceId device : allowed_devices(problem, unit)) {
      const std::optional<Bytes> limit = problem.cluster().device(device).memory;
      unlimited = unlimited || !limit;
      if (limit) largest = std::max(largest, limit->count);
    }
    const std::int64_t bytes = alone.with(unit, DeviceId{0}).count;  // the same on all devices
    if (unlimited || bytes <= largest) continue;
    const std::size_t others = problem.members(unit).size() - 1;
    return fmt::format(
        "node '{}'{} needs {} bytes, but the largest device it may use has {}",
        name_of(problem, unit),
        others > 0 ? fmt::format(" with {} more that must share its device", others) : "", bytes,
        largest);
  }
  return std::nullopt;
}

// The units that may use one device only, by that device.
IdVector<DeviceId, std::vector<UnitId>> tied_units(const Problem& problem) {
  IdVector<DeviceId, std::vector<UnitId>> tied(problem.device_count());
  for (const UnitId unit : problem.units())
    if (const std::vector<DeviceId> devices = allowed_devices(problem, unit); devices.size() == 1)
      tied[devices[0]].push_back(unit);
  return tied;
}

std::optional<std::string> overfull_by_pins(const Problem& problem) {
  const IdVector<DeviceId, std::vector<UnitId>> tied = tied_units(problem);
  UnitWeights held(problem);
  for (const DeviceId device : problem.devices()) {
    std::size_t nodes = 0;
    for (const UnitId unit : tied[device]) {
      held.add(unit, device);
      nodes += problem.members(unit).size();
    }
    const std::int64_t bytes = held.on(device).count;
    const Device& facts = problem.cluster().device(device);
    if (facts.memory && bytes > facts.memory->count)
      return fmt::format("the {} nodes that may use only {} need {} bytes, but it has {}", nodes,
                         facts.name, bytes, facts.memory->count);
  }
  return std::nullopt;
}

// A device that some unit must use has a subgraph.
std::optional<std::string> too_few_subgraphs(const Problem& problem) {
  const auto needed = std::ranges::count_if(
      tied_units(problem), [](const std::vector<UnitId>& units) { return !units.empty(); });
  const int most = problem.model().max_subgraphs;
  if (most == 0 || needed <= most) return std::nullopt;
  return fmt::format(
      "{} devices have nodes that may run nowhere else, but at most {} subgraph{} may be", needed,
      most, most == 1 ? "" : "s");
}

// Gives the unit a device, moving others of the set if need be (an augmenting path).
bool give_device(const Problem& problem, const std::vector<UnitId>& set, std::size_t at,
                 std::vector<std::size_t>& holder, std::vector<bool>& tried) {
  for (const DeviceId device : allowed_devices(problem, set[at])) {
    if (tried[index(device)]) continue;
    tried[index(device)] = true;
    std::size_t& held_by = holder[index(device)];
    if (held_by == set.size() || give_device(problem, set, held_by, holder, tried)) {
      held_by = at;
      return true;
    }
  }
  return false;
}

std::optional<std::string> crowded_apart_set(const Problem& problem) {
  for (const std::vector<UnitId>& set : problem.apart()) {
    std::vector<std::size_t> holder(problem.device_count(), set.size());
    for (std::size_t i = 0; i < set.size(); ++i) {
      std::vector<bool> tried(problem.device_count(), false);
      if (give_device(problem, set, i, holder, tried)) continue;
      const std::ptrdiff_t devices = std::ranges::count(tried, true);
      return fmt::format(
          "{} nodes must be apart, '{}' and '{}' among them, but {} of them have only {} {} to use",
          set.size(), name_of(problem, set.front()), name_of(problem, set[i]), devices + 1, devices,
          devices == 1 ? "device" : "devices");
    }
  }
  return std::nullopt;
}

std::optional<std::string> too_much_in_all(const Problem& problem) {
  std::int64_t needed = 0;
  double held = 0;
  for (const UnitId unit : problem.units()) needed += unit_graph(problem).weights(unit).count;
  for (const DeviceId device : problem.devices()) {
    const std::optional<Bytes> limit = problem.cluster().device(device).memory;
    if (!limit) return std::nullopt;
    held += static_cast<double>(limit->count);
  }
  if (static_cast<double>(needed) <= held) return std::nullopt;
  return fmt::format("the weights need {} bytes, but all devices together have {:.0f}", needed,
                     held);
}

}  // namespace

std::optional<std::string> why_impossible(const Problem& problem) {
  for (const auto check :
       {oversized_unit, overfull_by_pins, crowded_apart_set, too_much_in_all, too_few_subgraphs})
    if (std::optional<std::string> why = check(problem)) return why;
  return std::nullopt;
}

}  // namespace berth
