// Why a node is where it is.
//
// For the node's unit (everything that must share its device) and every device: what the objective
// would be with the unit there and all else equal, or the rule that keeps it away. A node whose
// unit has one allowed device is bound by that rule; one that fits elsewhere at a worse objective
// is where it is by choice. An alternative with a better objective shows that the placement is not
// even a local optimum. A device that repeats another stops doing so when it is given the unit.
// Cost: one simulation per device.
#pragma once

#include "berth/placement.h"
#include "berth/sim/evaluate.h"

namespace berth {

struct Alternative {
  DeviceId device;
  Duration time{0};               // of the node alone on this device; kForever: unsupported
  std::optional<Duration> value;  // the objective with the unit here; empty: not allowed
  std::string obstacle;           // why not: "unsupported", "forbidden", "pinned to GPU.1", ...
};

// One tensor that the node reads or makes, and a node at its other end.
struct Neighbour {
  TensorId tensor;
  NodeId node;
  DeviceId device;
  Duration transfer{0};  // zero on the same device
  Bytes size{};
};

struct Explanation {
  NodeId node;
  DeviceId device;
  std::vector<DeviceId> replicas;         // that run it too, on other samples
  Duration value{0};                      // of the placement as it is
  std::optional<Duration> start, finish;  // of the node in the schedule
  std::vector<NodeId> unit;               // the nodes that move with it, itself included
  std::vector<Alternative> alternatives;  // every device, in order, its own included
  std::vector<Neighbour> inputs, outputs;
  std::string binding;  // what holds it there, one sentence
};

Explanation explain(const Problem& problem, const Placement& placement,
                    const Simulation& simulation, NodeId node);

std::string explanation_text(const Problem& problem, const Explanation& explanation);

// The node of that name, or of that alias. Throws Error with the nearest name.
NodeId find_node(const Graph& graph, const std::string& name);

}  // namespace berth
