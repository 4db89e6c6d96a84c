// One-sample latency in the call model as a mixed-integer program, one call per accelerator.
//
// K calls are numbered in time. x[a,o] puts unit a on option o: a CPU, or call j on a class of
// accelerators. Times are scaled so that the known latency is 1000; H is a little more.
//   First clock, the rule of sim/call.h. ready_v per node, since a unit on a CPU is not atomic:
//     finish_j = start_j + sum p x[a,j] + sum w cut[n,j],   cut[n,j] >= |x[s,j] - x[p,j]|
//     start_j >= ready_u - H (1 - x[b,j] + x[a,j])          edges from node u of a into b
//     ready_v >= finish_j - H (1 - x[v,j]),  ready_v >= ready_u + p_cpu(v) x[v,cpu],  T >= ready_v
//   Second clock, free of big H: inside a call work is sequential, and each crossing of a path is a
//   transfer inside the calls at its ends:
//     tau_v >= tau_u + p(v) x[v] + read(u) enter_uv + write(u) leave_uv,  T >= tau_v
//     enter_ab >= x[b,j] - x[a,j],  leave_ab >= x[a,j] - x[b,j]            for all j
//   Slots: node v lies in one of 2K + 1 slots, call j being slot 2j and odd ones for CPUs.
//     Y[v,s] = [v in slot <= s] rises in s and falls along edges; x[v,j] = Y[v,2j] - Y[v,2j-1].
//   Convexity and an acyclic quotient become linear that way.
// Weights, with copies of shared ones, and the largest workspace fit each device; at most one unit
// of an apart set per option.
#pragma once

#include "berth/placement.h"
#include "berth/solvers/milp.h"

namespace berth {

class LatencyProgram {
 public:
  // `known` is the latency of some placement, `bound` one that no placement beats.
  LatencyProgram(const Problem& problem, Duration known, Duration bound);

  // Variables that the program would have; building it takes time and memory in proportion.
  static std::size_t size(const Problem& problem);

  const MilpModel& model() const { return model_; }
  Duration to_time(double objective) const { return Duration{objective / scale_}; }
  double to_objective(Duration time) const { return time.count() * scale_; }
  // Integer values for a placement with one call per accelerator, NaN elsewhere (milp_check.h
  // completes them); empty for other placements.
  std::vector<double> start_from(const Placement& placement) const;
  Placement decode(std::span<const double> values) const;

 private:
  struct Option {
    std::vector<DeviceId> devices;  // a CPU (any of its kind will do), or a class of accelerators
    int call = -1;                  // of accelerators: which call; -1 for a CPU
    DeviceId kind() const { return devices.front(); }
  };
  VariableId x(UnitId unit, std::size_t option) const {
    return x_[index(unit) * options_.size() + option];
  }
  Term slot(NodeId node, std::size_t s, double coefficient) const {
    return {slot_[index(node) * 2 * calls_ + s], coefficient};
  }
  void add_options();
  void add_assignment();
  void add_slots();
  void add_limits();
  void add_calls();
  void add_first_clock();
  void add_second_clock();
  // The unit's options of the call.
  void add_in_call(UnitId unit, std::size_t call, double coefficient,
                   std::vector<Term>& row) const {
    for (std::size_t o = 0; o < options_.size(); ++o)
      if (options_[o].call == static_cast<int>(call)) row.push_back({x(unit, o), coefficient});
  }
  double time(NodeId node, std::size_t option) const {
    return problem_.time(node, options_[option].kind()).count() * scale_;
  }

  Problem problem_;
  double scale_, bound_;
  std::size_t calls_ = 0;
  std::vector<Option> options_;
  MilpModel model_;
  VariableId latency_{};
  std::vector<VariableId> x_, slot_, start_, finish_, ready_;
};

}  // namespace berth
