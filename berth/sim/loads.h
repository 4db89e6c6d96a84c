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
#pragma once

#include <algorithm>

#include "berth/sim/transfer_table.h"

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

// The load of a device, or of a server's wire, which computes nothing.
inline double overlapped(Overlap overlap, double compute, double in, double out) {
  if (overlap == Overlap::kSum) return compute + in + out;
  return overlap == Overlap::kMax ? std::max(compute, in + out) : std::max({compute, in, out});
}

// The objective in microseconds.
double load_objective(const ExecutionModel& model, const Loads& loads);

struct LoadTables;

class LoadEvaluator {
 public:
  explicit LoadEvaluator(const Problem& problem);

  // The objective in microseconds. No allocation after the first call.
  double run(std::span<const DeviceId> device_of);
  const Loads& loads() const { return loads_; }  // of the last run
  const std::shared_ptr<const LoadTables>& tables() const { return tables_; }

 private:
  using Flow = TransferTable::Flow;
  // kHalves: forward and backward work are summed apart.
  template <bool kHalves>
  void add_compute(std::span<const DeviceId> device_of);
  template <bool kHalves>
  void add_flows(std::span<const DeviceId> device_of);  // times linear in the tensor: the fast way
  void price_row(std::size_t half, std::size_t from, const Flow* matrix);
  void add_moves(std::span<const DeviceId> device_of);  // any times

  std::shared_ptr<const LoadTables> tables_;
  Loads loads_;
  std::vector<double> sums_;
  std::vector<Flow> flows_;
  std::vector<std::uint32_t> stamp_;
};

}  // namespace berth
