#include "berth/search/unit_assignment.h"

#include <algorithm>

#include <fmt/format.h>

namespace berth {

std::vector<DeviceId> allowed_devices(const Problem& problem, UnitId unit) {
  std::vector<DeviceId> devices;
  for (const DeviceId device : problem.devices())
    if (problem.unit_allows(unit, device)) devices.push_back(device);
  return devices;
}

UnitAssignment::UnitAssignment(const Problem& problem)
    : problem_(problem),
      units_(&unit_graph(problem_)),
      device_of_(problem.unit_count()),
      held_(problem_),
      workspace_(problem.device_count()),
      apart_used_(problem.apart().size() * problem.device_count(), 0) {
  for (const UnitId unit : problem.units()) {
    const std::vector<DeviceId> devices = allowed_devices(problem, unit);
    if (devices.size() == 1 && may_take(unit, devices[0])) take(unit, devices[0]);
  }
}

bool UnitAssignment::may_take(UnitId unit, DeviceId device) const {
  if (const std::optional<DeviceId>& taken = device_of_[unit]) return *taken == device;
  return problem_.unit_allows(unit, device) && has_room(unit, device) && apart_allows(unit, device);
}

void UnitAssignment::take(UnitId unit, DeviceId device) {
  if (device_of_[unit]) {
    assert(*device_of_[unit] == device);  // may_take allows only the device it has
    return;
  }
  device_of_[unit] = device;
  held_.add(unit, device);
  workspace_[device] = std::max(workspace_[device], workspace(unit));
  for (const std::uint32_t set : units_->apart_sets(unit))
    apart_used_[set * problem_.device_count() + index(device)] = 1;
}

Bytes UnitAssignment::need(UnitId unit, DeviceId device) const {
  if (device_of_[unit] == device) return held_.on(device) + workspace_[device];
  return held_.with(unit, device) + std::max(workspace_[device], workspace(unit));
}

bool UnitAssignment::has_room(UnitId unit, DeviceId device) const {
  const std::optional<Bytes>& limit = problem_.cluster().device(device).memory;
  return !limit || need(unit, device) <= *limit;
}

bool UnitAssignment::apart_allows(UnitId unit, DeviceId device) const {
  return std::ranges::none_of(units_->apart_sets(unit), [&](std::uint32_t set) {
    return apart_used_[set * problem_.device_count() + index(device)] != 0;
  });
}

std::string UnitAssignment::refusal(NodeId node) const {
  const UnitId unit = problem_.unit_of(node);
  std::string reasons;
  for (const DeviceId device : problem_.devices()) {
    const Device& value = problem_.cluster().device(device);
    if (!reasons.empty()) reasons += ", ";
    if (!problem_.unit_allows(unit, device))
      reasons += fmt::format("{} may not run it", value.name);
    else if (!has_room(unit, device))
      reasons += fmt::format("{} would need {} bytes and has {}", value.name,
                             need(unit, device).count, value.memory->count);
    else
      reasons += fmt::format("{} holds a node it must be apart from", value.name);
  }
  return fmt::format("no device takes node {}: {}", problem_.graph().node(node).name, reasons);
}

}  // namespace berth
