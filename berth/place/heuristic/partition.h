// What balanced partitioners (METIS, Scotch) have in common: the undirected graph of units that
// they cut, and the way from parts back to devices.
//
// Vertex = unit, weight = its time or bytes. Edge = two units that share tensors, weight = the sum
// of the tensors' weights, each counted once per pair however many nodes use it. Partitioners count
// in 32-bit integers: weights are scaled so that their sum is about 1e9, and are at least 1.
// Direction, schedule and memory are not seen, as in the published baselines.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "berth/modules/module.h"
#include "berth/place/heuristic/additive_cost.h"
#include "berth/place/placer.h"

namespace berth {

struct PartitionGraph {
  std::vector<std::int32_t> begin;  // compressed adjacency, each edge in both directions
  std::vector<std::int32_t> neighbour, edge_weight, vertex_weight;

  std::size_t vertex_count() const { return vertex_weight.size(); }
};

// One weight per unit and per net of the cost. When all are zero, all count the same.
PartitionGraph partition_graph(const AdditiveCost& cost, std::span<const double> unit_weights,
                               std::span<const double> net_weights);

// Mean time of each unit over the devices that may run it.
std::vector<double> mean_unit_times(const AdditiveCost& cost);
// How fast each device is, relative to the mean, over the units that it may run; sums to 1.
std::vector<double> speed_shares(const AdditiveCost& cost, std::span<const DeviceId> devices);

using PartOfVertex = std::vector<std::int32_t>;
// Parts whose weights are near the shares, within the imbalance; empty when it gives up.
using Partitioner = std::optional<PartOfVertex> (*)(const PartitionGraph& graph,
                                                    std::span<const double> shares,
                                                    double imbalance, std::uint64_t seed);

// One part for each of `devices`, by the module METIS or Scotch. Parts belong to the devices in the
// order that simulates best, all orders being tried for up to six devices, or in the order given.
// Units that may not run where they fell move to an allowed device. No placement, and the reason,
// when there is no such module, it gives up, or the result breaks a rule or does not fit.
Outcome place_by_partition(ModuleKind module, const Problem& problem,
                           std::span<const DeviceId> devices, const PartitionGraph& graph,
                           std::span<const double> shares, double imbalance, Budget& budget,
                           Rng& rng);

// The self-check of a partitioner: throws Error unless it cuts a path of four in the middle.
std::string check_partition(Partitioner partition);

}  // namespace berth
