// Concurrent execution of one sample: devices work in parallel, transfers overlap with compute.
//
// Each device runs one node at a time, without preemption. The rule, exactly: repeat, taking the
// earliest possible event; at equal times completions come before starts, and lower device ids
// first, except that the device of the last completion is the first to start.
//   completion  node u ends on device a. For each output tensor, in order, and each other device b
//               that uses it, in the order of Graph::consumers, a transfer is requested: once per
//               (tensor, b). It starts as soon as all channels of the link a -> b are free of the
//               requests made before it (so none overtakes, even on channels that are idle),
//               holds them for transfer(tensor, a, b), then the tensor is on b.
//               A link without channels never makes a transfer wait.
//   start       an idle device that has ready nodes (all inputs on the device) starts one of them:
//               the one earliest in priority_order (transform/ranks.h); or, when the placement
//               carries an order, its next node in that order, as soon as that one is ready.
// The value is the end of the last node. O((V + E) log V) in the worst case, and linear as
// long as a device has few nodes to choose from (ready_pool.h).
#pragma once

#include "berth/problem.h"
#include "berth/sim/schedule.h"

namespace berth {

class ConcurrentSimulator {
 public:
  explicit ConcurrentSimulator(const Problem& problem);
  ~ConcurrentSimulator();
  ConcurrentSimulator(ConcurrentSimulator&&) noexcept;

  // The makespan. `order` is empty or a topological order of all nodes. No allocation once the
  // queues have grown.
  Duration run(std::span<const DeviceId> device_of, std::span<const NodeId> order = {});
  // The same run, told in full.
  Schedule record(std::span<const DeviceId> device_of, std::span<const NodeId> order = {});

 private:
  struct Flat;   // the problem in flat arrays
  struct State;  // one run
  void reset(std::span<const DeviceId> device_of);
  void plan_deliveries();
  void reset_sequences(std::span<const NodeId> order);
  template <bool kRecord>
  Duration simulate(std::span<const DeviceId> device_of, std::span<const NodeId> order,
                    Schedule* schedule);

  std::unique_ptr<const Flat> flat_;
  std::unique_ptr<State> state_;
};

}  // namespace berth
