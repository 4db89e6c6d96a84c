// The machine of Baechi's memory-aware list schedulers (m-etf, m-sct), while a schedule is built.
//
// Time. Each device runs one node at a time and has one serial channel for all its traffic. A
// tensor is sent once per receiving device, on demand of the first consumer placed there:
//   send    from  max( producer's finish, sender's channel free ),    lasting c
//   receive from  max( send start, receiver's channel free ),         lasting c
// The tensors a node still misses are sent in the order in which they were made. est(v,d) is the
// earliest start of v on d if its missing tensors were sent now.
//
// Memory. A device holds the weights and the largest workspace of the units on it
// (unit_assignment.h), and the outputs of the nodes it has run, each until its last consumer is
// placed. A node may be placed where its outputs still fit, and for the first node of a unit also
// the unit's weights and workspace; with `reserve` the unit's largest output, not the node's, must
// fit. Steps are taken in the order of the decisions, which is what the original counts too.
//
// Jeon et al., Baechi: Fast Device Placement of Machine Learning Graphs, SoCC 2020.
#pragma once

#include <algorithm>

#include "berth/place/list/list_schedule.h"
#include "berth/search/unit_assignment.h"

namespace berth {

class MemorySchedule {
 public:
  MemorySchedule(const Problem& problem, bool reserve);

  bool is_placed(NodeId node) const { return placed_[node] != 0; }
  // All predecessors are placed.
  bool is_ready(NodeId node) const { return missing_[node] == 0; }
  Duration free(DeviceId device) const { return free_[device]; }

  // When the node's inputs can be on the device: the node must be ready.
  Duration ready(NodeId node, DeviceId device) const;
  Duration est(NodeId node, DeviceId device) const {
    return std::max(free_[device], ready(node, device));
  }
  // Now; a device may have room again when outputs are given up.
  bool fits(NodeId node, DeviceId device) const;
  // The unit's weights, workspace and constraints alone: once false, false for good.
  bool may_ever_fit(NodeId node, DeviceId device) const {
    return units_.may_take(problem_.unit_of(node), device);
  }

  // What changed by running a node.
  struct Changes {
    std::vector<NodeId> ready;       // nodes that became ready
    std::vector<TensorId> received;  // tensors that came to the device
    std::vector<DeviceId> relieved;  // devices that gave up an output
  };
  // Runs the node at est(node, device). It must be ready and fit.
  Changes run(NodeId node, DeviceId device);

  std::string refusal(NodeId node) const;
  Placement placement() const { return schedule_.placement(); }

 private:
  struct Sending {
    TensorId tensor;
    DeviceId from;
    Duration made, send_start, arrival;
  };
  // Inputs of the node that are not on the device yet, in sending order, with their times.
  std::vector<Sending> sendings(NodeId node, DeviceId device) const;
  Duration arrived(TensorId tensor, DeviceId device) const;
  Bytes output_bytes(NodeId node) const;
  Bytes bytes_to_come(NodeId node) const;

  Problem problem_;
  bool reserve_;
  ListSchedule schedule_;
  UnitAssignment units_;
  IdVector<NodeId, std::uint8_t> placed_;
  IdVector<NodeId, std::uint32_t> missing_;      // predecessors not placed
  IdVector<TensorId, std::uint32_t> uses_left_;  // consumers not placed
  IdVector<DeviceId, Duration> free_, channel_;  // next free moment of device and channel
  std::vector<Duration> arrival_;                // tensor * devices + device; kForever: not there
  IdVector<DeviceId, Bytes> held_;               // outputs held
};

}  // namespace berth
