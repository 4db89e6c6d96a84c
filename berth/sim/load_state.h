// A placement under change and its loads: single-unit moves in O(degree) of the unit. Per tensor the
// consumers on each device are counted (sparsely, O(consumers) memory).
#pragma once

#include "berth/placement.h"
#include "berth/sim/load_tables.h"

namespace berth {

class LoadState {
 public:
  LoadState(const Problem& problem, const UnitDevices& device_of);

  DeviceId device_of(UnitId unit) const { return unit_device_[unit]; }
  void move(UnitId unit, DeviceId device);  // O(degree); moving back restores up to rounding
  // The objective; O(devices + channels).
  double value() const { return load_objective(tables_->problem.model(), loads_); }
  double load(DeviceId device) const { return loads_.device_total(device); }

 private:
  using Receiver = LoadTables::Receiver;
  void count_use(std::uint32_t tensor, std::uint16_t device, int change);
  void charge(std::uint32_t tensor, double sign);

  std::shared_ptr<const LoadTables> tables_;
  UnitDevices unit_device_;
  std::vector<std::uint16_t> device_;  // by node
  std::vector<Receiver> receivers_;    // tensor t owns a slot per consumer, the first ones in use
  std::vector<std::uint32_t> use_count_;  // devices in use, by tensor
  std::vector<std::uint32_t> touched_stamp_, touched_, reached_;
  std::uint32_t stamp_ = 0;
  Loads loads_;
};

}  // namespace berth
