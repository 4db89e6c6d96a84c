#include "berth/place/baseline/single_device.h"

#include <optional>
#include <vector>

#include <fmt/format.h>

#include "berth/base/fail.h"
#include "berth/sim/evaluate.h"

namespace berth {
namespace {

std::vector<DeviceId> candidates(const Problem& problem, const std::string& name) {
  if (name.empty()) return {problem.devices().begin(), problem.devices().end()};
  const std::optional<DeviceId> device = problem.cluster().find(name);
  if (device) return {*device};
  std::string known;
  for (const DeviceId d : problem.devices())
    known += (known.empty() ? "" : ", ") + problem.cluster().device(d).name;
  fail("single-device(device={}): no such device; the problem has {}", name, known);
}

// The first node that keeps the model from running on this device alone.
std::optional<NodeId> obstacle(const Problem& problem, DeviceId device) {
  for (const NodeId node : problem.graph().nodes())
    if (!problem.allows(node, device)) return node;
  for (const auto& set : problem.apart())
    if (set.size() > 1) return problem.members(set.front()).front();
  return std::nullopt;
}

}  // namespace

void single_device(const Context& context, const SingleDeviceOptions& options) {
  const Problem& problem = context.problem;
  std::string reason;
  for (const DeviceId device : candidates(problem, options.device)) {
    const std::string& name = problem.cluster().device(device).name;
    const std::string separator = reason.empty() ? "no single device holds the model: " : ", ";
    if (const std::optional<NodeId> node = obstacle(problem, device)) {
      reason += fmt::format("{}{} may not run node {}{}", separator, name,
                            problem.graph().node(*node).name,
                            problem.allows(*node, device) ? " with all others" : "");
      continue;
    }
    context.budget.count();
    if (!context.incumbent.offer(on_one_device(problem, device)).score.feasible())
      reason += fmt::format("{}{} is too small", separator, name);
  }
  context.incumbent.fail(reason);
}

}  // namespace berth
