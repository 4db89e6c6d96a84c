#include "berth/place/load/device_classes.h"

#include <algorithm>
#include <cmath>

namespace berth {
namespace {

bool same_prices(const Problem& problem, DeviceId a, DeviceId b) {
  return std::ranges::all_of(problem.graph().tensors(), [&](TensorId tensor) {
    return least_price(problem, tensor, a) == least_price(problem, tensor, b);
  });
}

bool interchangeable(const Problem& problem, DeviceId a, DeviceId b) {
  const Device &first = problem.cluster().device(a), &second = problem.cluster().device(b);
  if (first.is_host() != second.is_host() || first.memory != second.memory) return false;
  for (const NodeId node : problem.graph().nodes())
    if (problem.time(node, a) != problem.time(node, b)) return false;
  for (const UnitId unit : problem.units())
    if (problem.unit_allows(unit, a) != problem.unit_allows(unit, b)) return false;
  return same_prices(problem, a, b);
}

}  // namespace

TensorPrice least_price(const Problem& problem, TensorId tensor, DeviceId device) {
  if (problem.model().through_host())
    return {problem.read_from_host(tensor, device).count(),
            problem.write_to_host(tensor, device).count()};
  Duration read = kForever, write = kForever;
  for (const DeviceId other : problem.devices()) {
    if (other == device) continue;
    read = std::min(read, problem.transfer(tensor, other, device));
    write = std::min(write, problem.transfer(tensor, device, other));
  }
  const auto finite = [](Duration time) { return std::isfinite(time.count()) ? time.count() : 0; };
  return {finite(read), finite(write)};
}

std::vector<DeviceClass> device_classes(const Problem& problem) {
  std::vector<DeviceClass> classes;
  for (const DeviceId device : problem.devices()) {
    const auto known = std::ranges::find_if(classes, [&](const DeviceClass& c) {
      return interchangeable(problem, c.devices.front(), device);
    });
    if (known != classes.end()) {
      known->devices.push_back(device);
      continue;
    }
    const std::optional<Bytes> memory = problem.cluster().device(device).memory;
    classes.push_back({{device}, memory ? std::optional(memory->count) : std::nullopt, -1});
  }
  int next_price = 0;
  for (DeviceClass& c : classes) {
    const bool host = problem.cluster().device(c.devices.front()).is_host();
    if (problem.model().through_host() && host) continue;
    const auto same = std::ranges::find_if(classes, [&](const DeviceClass& earlier) {
      return earlier.price >= 0 && same_prices(problem, earlier.devices.front(), c.devices.front());
    });
    c.price = same != classes.end() ? same->price : next_price++;
  }
  std::ranges::stable_sort(classes, [](const DeviceClass& a, const DeviceClass& b) {
    return std::pair(a.price < 0, b.count()) < std::pair(b.price < 0, a.count());
  });
  return classes;
}

}  // namespace berth
