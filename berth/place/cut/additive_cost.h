// The additive cost of placing units: what a sample costs when nothing overlaps.
//
//   C(P) = sum of p(unit, P_unit)  +  sum of transfers, once per (tensor, receiving device)
//
// This is sequential execution without subgraph overhead (sim/sequential.h), contracted to units:
// a net is a tensor that leaves its producer's unit, with the distinct other units that use it.
//
// Prices bend the cost without touching the problem: a surcharge on every transfer stands for the
// overhead of a subgraph, and a price per byte and device is the Lagrange multiplier of a memory
// limit.
#pragma once

#include "berth/placement.h"
#include "berth/unit_graph.h"

namespace berth {

using Net = UnitGraph::Net;

struct UnitPin {
  UnitId unit;
  DeviceId device;
};

struct Prices {
  Duration per_transfer{0};
  std::vector<double> per_byte{};  // microseconds, by device; empty: free
};

class AdditiveCost {
 public:
  explicit AdditiveCost(const Problem& problem);

  const Problem& problem() const { return problem_; }
  std::size_t unit_count() const { return problem_.unit_count(); }
  std::size_t device_count() const { return units_->device_count(); }

  // The rest in microseconds, prices included. Infinite where the unit may not go.
  double time(UnitId unit, DeviceId device) const {
    const std::size_t at = index(unit) * device_count() + index(device);
    const double own = (*times_)[at];
    return prices_.per_byte.empty() ? own : own + prices_.per_byte[index(device)] * bytes(unit);
  }
  // Zero on one device.
  double transfer(const Net& net, DeviceId from, DeviceId to) const {
    return from == to ? 0 : problem_.transfer(net.tensor, from, to).count() + surcharge_;
  }
  std::span<const Net> nets() const { return units_->nets(); }
  std::span<const UnitId> consumers(const Net& net) const { return units_->consumers(net); }
  double operator()(const UnitDevices& device_of) const;

  // Bytes that a unit holds for certain, whatever the schedule: its weights.
  double bytes(UnitId unit) const { return (*sizes_)[index(unit)]; }
  double bytes_on(const UnitDevices& device_of, DeviceId device) const;

  // The units named may go nowhere else.
  AdditiveCost with_pins(std::span<const UnitPin> pins) const;
  AdditiveCost with_prices(Prices prices) const;
  // The same with sizes that also count outputs and workspace: nearer to the peak, no bound.
  AdditiveCost with_generous_sizes() const;

 private:
  Problem problem_;
  const UnitGraph* units_;  // of the problem
  std::shared_ptr<const std::vector<double>> times_, sizes_;
  Prices prices_;
  double surcharge_ = 0;
};

// Each unit on its fastest allowed device; equal times go to the first.
UnitDevices fastest_devices(const AdditiveCost& cost);
// The cheapest of all single devices, or fastest_devices when no device may hold everything.
UnitDevices cheapest_start(const AdditiveCost& cost);

}  // namespace berth
