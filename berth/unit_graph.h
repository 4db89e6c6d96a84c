// The problem by units: what every search over units asks, built once per problem and shared.
//
// A unit is what placers move: nodes that must share a device (problem.h). Its time on a device is
// the sum of its nodes', infinite where it may not run; its bytes are theirs. A net is a tensor
// seen from the units: the unit that produces it and the other units that use it, each once, in the
// order of their first use; tensors that stay inside a unit are no nets. Units that share a net are
// neighbours. The quotient of the graph by units may have cycles.
//
// Some nets are shared weights (TensorRole::kWeight): a device keeps each of them once if any unit
// of the net is there, the one that makes it or one that uses it. So what a device holds for the
// set S of units on it is
//   held(S) = sum over u in S of private(u)  +  sum of the shared weights with a unit in S
// with private(u) the weights of u that are not shared. Never less than the sum of weights(u).
//
// O(nodes x devices + edges) to build, on the first call for a problem or a copy of it; flat
// arrays, so that every answer is a load or a span.
#pragma once

#include "berth/problem.h"

namespace berth {

class UnitGraph {
 public:
  struct Net {
    TensorId tensor;
    UnitId producer;
    std::uint32_t begin, end;  // of its consumers
  };

  explicit UnitGraph(const Problem& problem);

  std::size_t unit_count() const { return weights_.size(); }
  std::size_t device_count() const { return device_count_; }

  // Microseconds per sample; infinite where the unit may not run.
  double time(UnitId unit, DeviceId device) const {
    return time_[index(unit) * device_count_ + index(device)];
  }
  std::span<const double> time_row(UnitId unit) const {
    return {time_.data() + index(unit) * device_count_, device_count_};
  }
  // Of all units, unit-major.
  const std::vector<double>& times() const { return time_; }

  Bytes weights(UnitId unit) const { return Bytes{weights_[unit]}; }
  Bytes private_weights(UnitId unit) const { return Bytes{private_weights_[unit]}; }
  Bytes outputs(UnitId unit) const { return Bytes{outputs_[unit]}; }  // of its tensors, no weights
  Bytes workspaces(UnitId unit) const { return Bytes{workspaces_[unit]}; }  // of all its nodes
  Bytes largest_workspace(UnitId unit) const { return Bytes{largest_workspace_[unit]}; }

  // Distinct other units, ascending.
  std::span<const UnitId> successors(UnitId unit) const { return successors_[unit]; }
  std::span<const UnitId> predecessors(UnitId unit) const { return predecessors_[unit]; }
  std::span<const UnitId> neighbours(UnitId unit) const { return neighbours_[unit]; }

  std::span<const Net> nets() const { return nets_; }
  std::span<const UnitId> consumers(const Net& net) const {
    return {consumers_.data() + net.begin, consumers_.data() + net.end};
  }

  struct SharedWeight {
    Net net;
    Bytes size;
  };
  std::span<const SharedWeight> shared_weights() const { return shared_weights_; }
  // Positions in it of those whose net the unit is in, ascending.
  std::span<const std::uint32_t> shared_weights(UnitId unit) const { return shared_of_[unit]; }

  // The sets of problem.apart() that the unit belongs to, ascending.
  std::span<const std::uint32_t> apart_sets(UnitId unit) const { return apart_sets_[unit]; }

 private:
  void add_sums(const Problem& problem);
  void add_neighbours(const Problem& problem);
  void add_nets(const Problem& problem);
  void add_shared_weights(const Problem& problem);

  std::size_t device_count_;
  std::vector<double> time_;
  IdVector<UnitId, std::int64_t> weights_, private_weights_, outputs_;
  IdVector<UnitId, std::int64_t> workspaces_, largest_workspace_;
  IdLists<UnitId, UnitId> successors_, predecessors_, neighbours_;
  std::vector<Net> nets_;
  std::vector<UnitId> consumers_;
  std::vector<SharedWeight> shared_weights_;
  IdLists<UnitId, std::uint32_t> shared_of_;
  IdLists<UnitId, std::uint32_t> apart_sets_;
};

// Of this problem and of all that share its data (other execution models, copies). Thread-safe.
const UnitGraph& unit_graph(const Problem& problem);

}  // namespace berth
