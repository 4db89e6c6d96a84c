#include "berth/place/cut/min_cut.h"

#include <algorithm>

#include "berth/base/fail.h"
#include "berth/place/cut/partition.h"
#include "berth/transform/ranks.h"

namespace berth {
namespace {

std::vector<DeviceId> all_devices(const Problem& problem) {
  return {problem.devices().begin(), problem.devices().end()};
}

// Bytes of every tensor, or its transfer time. Problems with given transfer times may carry no
// sizes; then time is all there is.
std::vector<double> net_weights(const AdditiveCost& cost, PartitionWeight kind,
                                Incumbent& incumbent) {
  std::vector<double> weights;
  double sum = 0;
  if (kind == PartitionWeight::kBytes)
    for (const Net& net : cost.nets()) {
      weights.push_back(static_cast<double>(cost.problem().graph().tensor(net.tensor).size.count));
      sum += weights.back();
    }
  if (sum > 0 || cost.nets().empty()) return weights;
  if (kind == PartitionWeight::kBytes)
    incumbent.note("the tensors have no sizes: edges are weighed by transfer time");
  const IdVector<TensorId, Duration> transfers = mean_transfers(cost.problem());
  weights.clear();
  for (const Net& net : cost.nets()) weights.push_back(transfers[net.tensor].count());
  return weights;
}

struct Balance {
  std::vector<double> unit_weights, shares;
};

Balance balance_of(const AdditiveCost& cost, PartitionBalance kind,
                   const std::vector<DeviceId>& devices) {
  if (kind == PartitionBalance::kTime) return {mean_unit_times(cost), speed_shares(cost, devices)};
  Balance balance;
  const AdditiveCost sized = cost.with_generous_sizes();
  for (const UnitId unit : cost.problem().units())
    balance.unit_weights.push_back(sized.bytes(unit));
  double total = 0;
  for (const DeviceId device : devices) {
    const std::optional<Bytes> limit = cost.problem().cluster().device(device).memory;
    balance.shares.push_back(limit ? std::max(1.0, static_cast<double>(limit->count)) : 0);
    total += balance.shares.back();
  }
  const bool limited = std::ranges::count(balance.shares, 0.0) == 0;
  for (double& share : balance.shares)  // without limits everywhere there is nothing to be fair to
    share = limited ? share / total : 1.0 / static_cast<double>(devices.size());
  return balance;
}

}  // namespace

void MinCutOptions::check() const {
  if (!(imbalance >= 0.001 && imbalance <= 10))
    fail("min-cut(imbalance=...) is {}, expected 0.001 to 10", imbalance);
}

void min_cut(const Context& context, const MinCutOptions& options) {
  const Problem& problem = context.problem;
  const AdditiveCost cost(problem);
  const std::vector<DeviceId> devices = all_devices(problem);
  const Balance balance = balance_of(cost, options.balance, devices);
  const PartitionGraph graph = partition_graph(
      cost, balance.unit_weights, net_weights(cost, options.weight, context.incumbent));
  place_by_partition(context, ModuleKind::kMetis, devices, graph, balance.shares,
                     options.imbalance);
}

}  // namespace berth
