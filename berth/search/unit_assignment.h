// Units given to devices one by one, under the hard rules.
//
// A device takes a unit if the unit may use it (support, pins, forbids), no unit that must be apart
// from it is there, and the static memory rule holds:
//   weights held (sim/held_weights.h)  +  largest workspace of everything there  <=  its memory.
// Activations are left out: they depend on the schedule, and the simulator checks them afterwards.
// Units that have only one device are seated at the start, so that no other unit takes their room.
// The first placed node of a unit brings the whole unit. O(1) per question, but for apart sets.
#pragma once

#include "berth/sim/held_weights.h"

namespace berth {

std::vector<DeviceId> allowed_devices(const Problem& problem, UnitId unit);

class UnitAssignment {
 public:
  explicit UnitAssignment(const Problem& problem);

  std::optional<DeviceId> device_of(UnitId unit) const { return device_of_[unit]; }
  // Whether the device can still take the unit, or holds it already.
  bool may_take(UnitId unit, DeviceId device) const;
  void take(UnitId unit, DeviceId device);

  Bytes weights(UnitId unit) const { return units_->weights(unit); }
  Bytes workspace(UnitId unit) const { return units_->largest_workspace(unit); }
  // The memory rule alone, and what the device would need with the unit on it.
  bool has_room(UnitId unit, DeviceId device) const;
  Bytes need(UnitId unit, DeviceId device) const;

  // Why no device takes the node's unit: one sentence.
  std::string refusal(NodeId node) const;

 private:
  bool apart_allows(UnitId unit, DeviceId device) const;

  Problem problem_;
  const UnitGraph* units_;  // of the problem
  IdVector<UnitId, std::optional<DeviceId>> device_of_;
  UnitWeights held_;
  IdVector<DeviceId, Bytes> workspace_;   // the largest
  std::vector<std::uint8_t> apart_used_;  // set * devices + device
};

}  // namespace berth
