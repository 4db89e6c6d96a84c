// The simulator of each execution model (execution_model.h), behind one face.
//
// The only place that knows which model has which simulator. One instance per thread; arrays are
// kept from one placement to the next, so that nothing is allocated once they have grown, but for
// call latency.
#pragma once

#include "berth/placement.h"
#include "berth/sim/schedule.h"

namespace berth {

class Simulator {
 public:
  explicit Simulator(const Problem& problem);
  ~Simulator();

  // The objective, with devices working by priority or in the order given.
  Duration value(std::span<const DeviceId> device_of, std::span<const NodeId> order);
  // The same with devices that divide samples; where the model knows replicas.
  Duration value_replicated(const Placement& placement);
  // What one sample does when; of throughput objectives the order of work within a period.
  Schedule schedule(std::span<const DeviceId> device_of, std::span<const NodeId> order);

  // The order in which nodes are taken up without one given, where the model starts pieces by their
  // rank; else empty.
  std::vector<NodeId> start_order(std::span<const DeviceId> device_of);
  // How long each device was busy in the last value(), in microseconds, where that is not the load
  // of loads.h: in pieces. Else empty.
  std::span<const double> loads() const;

  // How far the placement is beyond what the model allows: pieces of accelerators above the allowed
  // number, 1 if pieces must be contiguous and are not, subgraphs / allowed - 1 if these are too
  // many.
  double beyond_model(std::span<const DeviceId> device_of);
  // The rule of these that the placement breaks, as a sentence.
  std::optional<std::string> broken_by(std::span<const DeviceId> device_of);

  struct State;  // in simulators.cpp

 private:
  std::unique_ptr<State> state_;
};

// What value() costs, in passes over nodes and edges.
double passes_per_evaluation(const ExecutionModel& model);

}  // namespace berth
