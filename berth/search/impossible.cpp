#include "berth/search/impossible.h"

#include <algorithm>
#include <vector>

#include <fmt/format.h>

#include "berth/unit_graph.h"

namespace berth {
namespace {

std::string name_of(const Problem& problem, UnitId unit) {
  return problem.graph().node(problem.members(unit).front()).name;
}

std::vector<DeviceId> allowed_devices(const Problem& problem, UnitId unit) {
  std::vector<DeviceId> devices;
  for (const DeviceId device : problem.devices())
    if (problem.unit_allows(unit, device)) devices.push_back(device);
  return devices;
}

std::optional<std::string> oversized_unit(const Problem& problem) {
  for (const UnitId unit : problem.units()) {
    std::int64_t largest = 0;
    bool unlimited = false;
    for (const DeviceId device : allowed_devices(problem, unit)) {
      const std::optional<Bytes> limit = problem.cluster().device(device).memory;
      unlimited = unlimited || !limit;
      if (limit) largest = std::max(largest, limit->count);
    }
    const std::int64_t bytes = unit_graph(problem).weights(unit).count;
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

// Units that may use one device only.
std::optional<std::string> overfull_by_pins(const Problem& problem) {
  std::vector<std::int64_t> bytes(problem.device_count(), 0);
  std::vector<std::size_t> count(problem.device_count(), 0);
  for (const UnitId unit : problem.units()) {
    const std::vector<DeviceId> devices = allowed_devices(problem, unit);
    if (devices.size() != 1) continue;
    bytes[index(devices[0])] += unit_graph(problem).weights(unit).count;
    count[index(devices[0])] += problem.members(unit).size();
  }
  for (const DeviceId device : problem.devices()) {
    const Device& facts = problem.cluster().device(device);
    if (facts.memory && bytes[index(device)] > facts.memory->count)
      return fmt::format("the {} nodes that may use only {} need {} bytes, but it has {}",
                         count[index(device)], facts.name, bytes[index(device)],
                         facts.memory->count);
  }
  return std::nullopt;
}

// A device that some unit must use has a subgraph.
std::optional<std::string> too_few_subgraphs(const Problem& problem) {
  std::vector<bool> must(problem.device_count(), false);
  for (const UnitId unit : problem.units()) {
    const std::vector<DeviceId> devices = allowed_devices(problem, unit);
    if (devices.size() == 1) must[index(devices[0])] = true;
  }
  const std::ptrdiff_t needed = std::count(must.begin(), must.end(), true);
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
      const std::ptrdiff_t devices = std::count(tried.begin(), tried.end(), true);
      return fmt::format(
          "{} nodes must be apart, '{}' and '{}' among them, but {} of them have only {} "
          "{} to use",
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
