// What balanced partitioners (METIS, Scotch) have in common: the undirected graph of units that
// they cut, and the way from parts back to devices.
//
// Vertex = unit, weight = its time or bytes. Edge = two units that share tensors, weight = the sum
// of the tensors' weights, each counted once per pair however many nodes use it. Partitioners count
// in 32-bit integers: weights are scaled so that their sum is about 1e9, and are at least 1.
// Direction, schedule and memory are not seen, as in the published baselines.
#pragma once

#include "berth/modules/module.h"
#include "berth/place/context.h"
#include "berth/place/cut/additive_cost.h"
#include "berth/solvers/partitioner.h"

namespace berth {

// One weight per unit and per net of the cost. When all are zero, all count the same.
PartitionGraph partition_graph(const AdditiveCost& cost, std::span<const double> unit_weights,
                               std::span<const double> net_weights);

// Mean time of each unit over the devices that may run it.
std::vector<double> mean_unit_times(const AdditiveCost& cost);
// How fast each device is, relative to the mean, over the units that it may run; sums to 1.
std::vector<double> speed_shares(const AdditiveCost& cost, std::span<const DeviceId> devices);

// One part for each of `devices`, by the module METIS or Scotch. Parts belong to the devices in the
// order that simulates best, all orders being tried for up to six devices, or in the order given.
// Units that may not run where they fell move to an allowed device. No placement, and the reason,
// when there is no such module or it gives up.
void place_by_partition(const Context& context, ModuleKind module,
                        std::span<const DeviceId> devices, const PartitionGraph& graph,
                        std::span<const double> shares, double imbalance);

}  // namespace berth
