#include "berth/place/baseline/hetero_default.h"

#include <algorithm>
#include <cctype>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "berth/base/fail.h"
#include "berth/cost/devices.h"
#include "berth/search/unit_assignment.h"

namespace berth {
namespace {

bool same_word(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](unsigned char x, unsigned char y) {
    return std::tolower(x) == std::tolower(y);
  });
}

// A word of the list is a device's name or, failing that, a kind: all devices of it.
std::vector<DeviceId> named(const Cluster& cluster, const std::string& order,
                            const std::string& word) {
  if (const std::optional<DeviceId> device = cluster.find(word)) return {*device};
  std::vector<DeviceId> result;
  for (const DeviceId device : cluster.devices())
    if (same_word(to_string(cluster.device(device).kind), word)) result.push_back(device);
  if (result.empty())
    fail("hetero-default(order={}): no device is named {} or of that kind", order, word);
  return result;
}

std::vector<DeviceId> priorities(const Cluster& cluster, const std::string& order) {
  std::vector<DeviceId> result;
  if (order.empty()) {
    result.assign(cluster.devices().begin(), cluster.devices().end());
    std::stable_partition(result.begin(), result.end(),
                          [&](DeviceId device) { return !cluster.device(device).is_host(); });
    return result;
  }
  for (std::size_t begin = 0; begin <= order.size();) {
    const std::size_t end = std::min(order.find('.', begin), order.size());
    for (const DeviceId device : named(cluster, order, order.substr(begin, end - begin)))
      if (std::find(result.begin(), result.end(), device) == result.end()) result.push_back(device);
    begin = end + 1;
  }
  return result;
}

// With a list, a device that is not on it may have room: say only what was asked.
std::string refusal(const Problem& problem, const UnitAssignment& units, const std::string& order,
                    NodeId node) {
  if (order.empty()) return units.refusal(node);
  return fmt::format("none of the devices {} takes node {}", order,
                     problem.graph().node(node).name);
}

}  // namespace

void hetero_default(const Context& context, const HeteroDefaultOptions& options) {
  const Problem& problem = context.problem;
  const std::vector<DeviceId> order = priorities(problem.cluster(), options.order);
  UnitAssignment units(problem);
  IdVector<UnitId, DeviceId> device_of(problem.unit_count());
  for (const NodeId node : problem.graph().topological_order()) {
    const UnitId unit = problem.unit_of(node);
    if (!units.device_of(unit)) {
      const auto device = std::find_if(order.begin(), order.end(),
                                       [&](DeviceId d) { return units.may_take(unit, d); });
      if (device == order.end())
        return context.incumbent.fail(refusal(problem, units, options.order, node));
      units.take(unit, *device);
    }
    device_of[unit] = *units.device_of(unit);
  }
  context.incumbent.suggest(from_units(problem, device_of));
}

}  // namespace berth
