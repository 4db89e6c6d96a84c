// Load-based objectives: steady-state throughput, and the additive part of sequential execution.
//
// In steady state every device works on another sample, and the time per sample is the load of
// the busiest resource. A tensor moves once per (tensor, receiving device).
//
//   call       each accelerator pays for reading and writing through host memory:
//              in(d)  = sum of read(t)  over tensors t made elsewhere with a consumer on d
//              out(d) = sum of write(t) over tensors t made on d with a consumer elsewhere, once
//              CPUs pay nothing. Value: the largest load(d).
//   pipeline   a move of t from a to b adds transfer(t,a,b) to out(a), to in(b) and to every channel
//              of the link. Value: the largest load(d) or channel traffic.
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

// Sums per device and channel; [0] forward, [1] backward (all in [0] unless GPipe separates them).
struct Loads {
  std::vector<double> compute[2], in[2], out[2];  // by device
  std::vector<double> traffic[2];                 // by channel
  double total = 0;                               // all compute and transfers
};

// The objective in microseconds.
double load_objective(const ExecutionModel& model, const Loads& loads);

class LoadEvaluator {
 public:
  explicit LoadEvaluator(const Problem& problem);
  // The objective in microseconds. No allocation after the first call.
  double run(std::span<const DeviceId> device_of);
  const Loads& loads() const;  // of the last run

 private:
  struct Flat;
  std::shared_ptr<const Flat> flat_;
  ExecutionModel model_;
  Loads loads_;
  std::vector<std::uint32_t> stamp_;
  friend class LoadState;
};

// A placement under change. Device of every unit, all loads, static bytes per device.
class LoadState {
 public:
  LoadState(const Problem& problem, const IdVector<UnitId, DeviceId>& device_of);
  ~LoadState();
  LoadState(LoadState&&) noexcept;

  DeviceId device_of(UnitId unit) const;
  void move(UnitId unit, DeviceId device);  // O(degree); moving back restores up to rounding
  double value() const;                     // O(devices + channels)
  // Sum of squares of the device loads: breaks the plateaus of a maximum.
  double spread() const;
  double load(DeviceId device) const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace berth
