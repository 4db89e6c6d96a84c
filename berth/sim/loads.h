// Load-based objectives: steady-state throughput, and the additive part of sequential execution.
//
// In steady state every device works on another sample, and the time per sample is the load of
// the busiest resource. A tensor moves once per (tensor, receiving device).
//
//   call       each accelerator pays for reading and writing through host memory:
//              in(d)  = sum of read(t)  over tensors t made elsewhere with a consumer on d
//              out(d) = sum of write(t) over tensors t made on d with a consumer elsewhere, once
//              CPUs pay nothing. Value: the largest load(d). A cluster of several servers pays the
//              network in the same way, a server being to it what an accelerator is to host memory:
//              in(s)  = sum of network(t) over tensors t made in other servers with a consumer in s
//              out(s) = sum of network(t) over tensors t made in s with a consumer elsewhere, once
//              and the busiest server counts too: net(s) = in + out, or their maximum with duplex.
//   pipeline   a move of t from a to b adds transfer(t,a,b) to out(a), to in(b) and to every
//              channel of the link. Value: the largest load(d) or channel traffic.
//   sequential value: sum of all compute and all transfers (without subgraph overhead).
//
//   load(d) = compute + in + out          overlap = sum
//             max(compute, in + out)      overlap = max
//             max(compute, in, out)       overlap = duplex
// Training with 1F1B adds forward and backward into one load; with GPipe the value is
// max forward load + max backward load, a transfer counting where its producer belongs.
//
// LoadState keeps all sums under single-unit moves in O(degree) of the unit: per tensor it counts
// the consumers on each device (sparsely, O(consumers) memory).
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "berth/base/ids.h"
#include "berth/base/units.h"
#include "berth/problem.h"

namespace berth {

// Sums in microseconds, forward and backward apart (together in `half[0]` unless GPipe needs them
// apart).
struct Loads {
  struct Half {
    std::vector<double> compute, in, out;         // by device
    std::vector<double> sync;                     // by device; empty without replicas (replicas.h)
    std::vector<double> traffic;                  // by channel
    std::vector<double> network_in, network_out;  // by server; empty where no network counts
  };
  Half half[2];
  double total = 0;  // all compute and transfers

  void reset(std::size_t devices, std::size_t channels, std::size_t servers);
  double device_total(DeviceId device) const;
};

// How long a server's wire is busy in one half.
double network_load(Overlap overlap, const Loads::Half& half, std::size_t server);

// The objective in microseconds.
double load_objective(const ExecutionModel& model, const Loads& loads);

class LoadEvaluator {
 public:
  explicit LoadEvaluator(const Problem& problem);
  ~LoadEvaluator();
  LoadEvaluator(LoadEvaluator&&) noexcept;
  LoadEvaluator& operator=(LoadEvaluator&&) noexcept;

  // The objective in microseconds. No allocation after the first call.
  double run(std::span<const DeviceId> device_of);
  const Loads& loads() const { return loads_; }  // of the last run

 private:
  struct Flat;
  struct FlowCell {
    double a = 0, b = 0;
  };
  friend class LoadState;
  // kHalves: forward and backward work are summed apart.
  template <bool kHalves>
  void add_compute(std::span<const DeviceId> device_of);
  template <bool kHalves>
  void add_flows(std::span<const DeviceId> device_of);  // times linear in the tensor: the fast way
  void price_row(std::size_t half, std::size_t from, const FlowCell* matrix);
  void add_moves(std::span<const DeviceId> device_of);  // any times

  std::shared_ptr<const Flat> flat_;
  Loads loads_;
  std::vector<double> sums_;
  std::vector<FlowCell> flows_;
  std::vector<std::uint32_t> stamp_, reached_;
};

// A placement under change: the device of every unit and all loads.
class LoadState {
 public:
  LoadState(const Problem& problem, const IdVector<UnitId, DeviceId>& device_of);
  ~LoadState();
  LoadState(LoadState&&) noexcept;
  LoadState& operator=(LoadState&&) noexcept;

  DeviceId device_of(UnitId unit) const { return unit_device_[unit]; }
  void move(UnitId unit, DeviceId device);  // O(degree); moving back restores up to rounding
  double value() const;                     // the objective; O(devices + channels)
  double load(DeviceId device) const;       // all its compute and transfers
  const Loads& loads() const { return loads_; }

 private:
  struct Use {  // consumers of one tensor on one device
    std::uint16_t device = 0;
    std::uint32_t count = 0;
  };
  void count_use(std::uint32_t tensor, std::uint16_t device, int change);
  void charge(std::uint32_t tensor, double sign);

  Problem problem_;
  std::shared_ptr<const LoadEvaluator::Flat> flat_;
  IdVector<UnitId, DeviceId> unit_device_;
  std::vector<std::uint16_t> device_;  // by node
  std::vector<Use> uses_;              // tensor t owns a slot per consumer, the first ones in use
  std::vector<std::uint32_t> use_count_;  // devices in use, by tensor
  std::vector<std::uint32_t> touched_stamp_, touched_, reached_;
  std::uint32_t stamp_ = 0;
  Loads loads_;
};

}  // namespace berth
