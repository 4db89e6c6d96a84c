#include "berth/place/cut/scotch.h"

#include <cmath>

#include "berth/base/fail.h"
#include "berth/place/cut/partition.h"
#include "berth/transform/ranks.h"

namespace berth {
namespace {

// Accelerators in call problems (all devices if there are none), otherwise all devices.
std::vector<DeviceId> devices_to_share(const Problem& problem) {
  std::vector<DeviceId> devices;
  for (const DeviceId device : problem.devices())
    if (!problem.model().through_host() || !problem.cluster().device(device).is_host())
      devices.push_back(device);
  if (devices.empty()) devices.assign(problem.devices().begin(), problem.devices().end());
  return devices;
}

std::vector<double> unit_weights(const AdditiveCost& cost, DeviceId accelerator) {
  const Problem& problem = cost.problem();
  std::vector<double> weights = mean_unit_times(cost);
  if (!problem.model().through_host()) return weights;
  for (const UnitId unit : problem.units()) {
    const double time = cost.time(unit, accelerator);
    weights[index(unit)] = std::isfinite(time) ? time : 0;  // it will not run there
  }
  return weights;
}

std::vector<double> net_weights(const AdditiveCost& cost, DeviceId accelerator) {
  const Problem& problem = cost.problem();
  std::vector<double> weights;
  if (problem.model().through_host()) {
    for (const Net& net : cost.nets())
      weights.push_back(problem.write_to_host(net.tensor, accelerator).count());
    return weights;
  }
  const IdVector<TensorId, Duration> transfers = mean_transfers(problem);
  for (const Net& net : cost.nets()) weights.push_back(transfers[net.tensor].count());
  return weights;
}

}  // namespace

void ScotchOptions::check() const {
  if (!(imbalance >= 0 && imbalance <= 10))
    fail("scotch(imbalance=...) is {}, expected 0 to 10", imbalance);
}

void scotch(const Context& context, const ScotchOptions& options) {
  const Problem& problem = context.problem;
  const AdditiveCost cost(problem);
  const std::vector<DeviceId> devices = devices_to_share(problem);
  const PartitionGraph graph = partition_graph(cost, unit_weights(cost, devices.front()),
                                               net_weights(cost, devices.front()));
  place_by_partition(context, ModuleKind::kScotch, devices, graph, speed_shares(cost, devices),
                     options.imbalance);
}

}  // namespace berth
