#include "berth/place/local/replicate.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "berth/place/registry.h"
#include "berth/transform/replica_groups.h"

namespace berth {
namespace {

// Devices that may share a stage stand side by side, in runs of equal `kin`, the fastest first.
struct Neighbours {
  std::vector<DeviceId> order;
  std::vector<std::size_t> kin;  // by device
};

Neighbours neighbours(const Problem& problem) {
  Neighbours result{{problem.devices().begin(), problem.devices().end()}, {}};
  // What a device cannot run does not count against it: groups without it may still be of use.
  std::vector<double> time(problem.device_count(), 0.0);
  for (const NodeId node : problem.graph().nodes())
    for (const DeviceId device : problem.devices())
      if (const double micros = problem.time(node, device).count(); std::isfinite(micros))
        time[index(device)] += micros;
  // Calls: data goes through a server's host memory, which is free for its CPUs only.
  const Servers servers = problem.cluster().servers();
  for (const DeviceId device : problem.devices()) {
    const bool call = problem.model().through_host();
    const std::size_t server = problem.counts_network() ? servers.of[device] : 0;
    result.kin.push_back(2 * server + (call && problem.cluster().device(device).is_host() ? 1 : 0));
  }
  std::stable_sort(result.order.begin(), result.order.end(), [&](DeviceId a, DeviceId b) {
    return std::pair(result.kin[index(a)], time[index(a)]) <
           std::pair(result.kin[index(b)], time[index(b)]);
  });
  return result;
}

DeviceGroups groups_of(const Neighbours& devices, std::size_t size) {
  DeviceGroups groups;
  for (const DeviceId device : devices.order) {
    const bool joins = !groups.empty() && groups.back().size() < size &&
                       devices.kin[index(groups.back().front())] == devices.kin[index(device)];
    if (!joins) groups.emplace_back();
    groups.back().push_back(device);
  }
  return groups;
}

}  // namespace

void replicate(const Context& context, const ReplicateOptions& options) {
  const Problem& problem = context.problem;
  Incumbent& incumbent = context.incumbent;
  const auto offer = [&](const Placement& placement) {
    if (placement.replicas.empty() || broken_rule(problem, placement)) return;
    incumbent.offer(placement, {}, "replicate");
    context.budget.count();
  };
  const Neighbours devices = neighbours(problem);
  const Placement everything = on_one_device(problem, DeviceId{0});  // of the only group
  for (DeviceGroups all{devices.order}; all.front().size() > 1; all.front().pop_back())
    offer(spread(everything, all));
  for (std::size_t size = problem.device_count() / 2; size > 1 && !context.budget.spent();
       size /= 2) {
    const DeviceGroups groups = groups_of(devices, size);
    const Problem merged = merge_devices(problem, groups);
    if (merged.unplaceable()) continue;
    Budget part = context.budget.part({});
    const Outcome outcome = run_method(options.method, merged, part, context.rng);
    incumbent.refute(outcome.contradictions);
    if (outcome.placement) offer(spread(*outcome.placement, groups));
  }
  incumbent.fail("no devices could share a stage within limits and constraints");
}

}  // namespace berth
