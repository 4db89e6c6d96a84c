// A Placement: which device runs each node, and, if it matters, in which order.
//
// Without an order, a device that becomes free takes the ready node of highest priority (the
// upward rank, transform/ranks.h). With an order, a topological order of all nodes, each device
// runs its nodes strictly in that sequence; list schedulers such as HEFT return one, because their
// makespan is that of the sequence they built.
//
// Throughput of calls and of pieces: a device may be a replica of another. It holds the same nodes
// and they divide the samples (sim/replicas.h, sim/piece_execution.h); device_of names the first of
// them.
#pragma once

#include "berth/problem.h"

namespace berth {

struct Replica {
  DeviceId device, of;
  friend bool operator==(const Replica&, const Replica&) = default;
};

struct Placement {
  IdVector<NodeId, DeviceId> device_of;
  std::vector<NodeId> order;           // empty, or a topological order of all nodes
  std::vector<Replica> replicas = {};  // by device, ascending

  friend bool operator==(const Placement&, const Placement&) = default;
};

// Everything on one device.
Placement on_one_device(const Problem& problem, DeviceId device);

using UnitDevices = IdVector<UnitId, DeviceId>;
// Each unit's device spread to its nodes.
Placement from_units(const Problem& problem, const UnitDevices& device_of);
// The device of each unit's first node.
UnitDevices to_units(const Problem& problem, const Placement& placement);

// Why the placement breaks the problem's hard rules (size, support, pins, units, apart, order), in
// one sentence; empty when it does not. Memory depends on the schedule: see sim/evaluate.h.
std::optional<std::string> broken_rule(const Problem& problem, const Placement& placement);

}  // namespace berth
