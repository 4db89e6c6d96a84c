#include "berth/cost/fit_roofline.h"

#include <cmath>

#include "berth/base/fail.h"
#include "berth/cost/roofline.h"

namespace berth {
namespace {

// Of one sample on each device, when starting an operator takes `launch`.
std::vector<Duration> totals_with_launch(const Graph& graph, const Cluster& cluster,
                                         Duration launch) {
  Cluster changed = cluster;
  changed.change_devices([&](Device& device) { device.launch = launch; });
  const NodeTimes times = roofline_times(graph, changed);
  std::vector<Duration> totals(cluster.device_count(), Duration{0});
  for (const NodeId node : graph.nodes())
    for (const DeviceId d : cluster.devices())
      totals[index(d)] += graph.node(node).frequency * times(node, d);
  return totals;
}

Device faster(Device device, double factor) {
  device.flops_per_second *= factor;
  device.bytes_per_second *= factor;
  return device;
}

// `work` at the stated peaks, and `launches` started operators, are to take `total`.
Device fitted(Device device, Duration work, double launches, Duration total) {
  const Duration starting = launches * device.launch;
  if (!(work + starting > Duration{0})) return device;  // nothing runs
  if (!device.is_host() && launches > 0 && total >= work) {
    device.launch = (total - work) / launches;
    return device;
  }
  if (total > starting && work > Duration{0})
    return faster(std::move(device), work / (total - starting));
  const double factor = (work + starting) / total;
  device.launch /= factor;
  return faster(std::move(device), factor);
}

}  // namespace

Cluster fit_roofline(const Graph& graph, const Cluster& cluster, std::span<const Duration> totals) {
  assert(totals.size() == cluster.device_count() && "one total per device");
  for (const DeviceId d : cluster.devices())
    if (!(totals[index(d)] > Duration{0}) || !std::isfinite(totals[index(d)].count()))
      fail("device {} is to take {} ms for the whole graph, expected a positive number",
           cluster.device(d).name, in_milliseconds(totals[index(d)]));
  const std::vector<Duration> work = totals_with_launch(graph, cluster, Duration{0});
  const std::vector<Duration> with_one = totals_with_launch(graph, cluster, Duration{1});
  Cluster result = cluster;
  for (const DeviceId d : cluster.devices()) {
    const double launches = (with_one[index(d)] - work[index(d)]) / Duration{1};
    result.set_device(d, fitted(cluster.device(d), work[index(d)], launches, totals[index(d)]));
  }
  return result;
}

}  // namespace berth
