// The max-load problem as an integer program, on units and nets.
//
//   minimise  T      with  x[u,d] binary, unit u on device d, and cut[n,d] in [0,1]
//   sum over d of x[u,d] = 1
//   cut[n,d] >= x[s,d] - x[p,d],  cut[n,d] >= x[p,d] - x[s,d]    s a fixed pin of n, p each other
//   T >= sum of time x[u,d] + sum of price cut[n,d]              for every device
//   sum of bytes x[u,d] + largest workspace <= memory            divided by the limit: bytes would
//                                                                wreck the solver's tolerances
// A shared weight w counts there apart from the bytes of units, by y[w,d] >= x[u,d] in [0,1] for
// each unit u that holds or uses it.
// CPUs pay nothing and have no cuts. Where reading and writing differ (in price, or because they
// overlap), s is the producer and the two rows have a variable each. Overlap: a row for compute
// and one or two for transfers. GPipe: a T for each half, and their sum is minimised. `apart` sets:
// at most one member per device.
//
// Symmetry. Devices of a class are interchangeable, so the first unit may as well use the first
// of them, and unit i one of the first i + 1: units by falling time, which fixes the most.
//
// Parts. Units may be fixed to devices and devices closed to the free ones; then only the loads
// of open devices count. That is the program of a large neighbourhood.
//
// A limit on the value is worth having: units and nets that exceed it alone are fixed.
//
// Tarnawski et al., Efficient Algorithms for Device Placement of DNN Graph Operators, NeurIPS 2020
// (nodes instead of units, edges instead of nets).
#pragma once

#include "berth/place/load/piece_prices.h"
#include "berth/solvers/milp.h"

namespace berth {

// The devices of all classes in one row: a slot is a place for a piece.
struct Slot {
  std::uint32_t device_class = 0;
  DeviceId device{0};
};
std::vector<Slot> slots_of(const LoadModel& model);

inline constexpr std::uint32_t kFreeUnit = 0xffffffff;

// The load of every slot: compute and transfers as the overlap has it, by half.
std::vector<LoadModel::Halves> slot_loads(const LoadModel& model, const SlotOfUnit& slot_of);
// What is minimised: the largest load, or the sum of the largest halves.
double value_of_loads(std::span<const LoadModel::Halves> loads);
inline double value_of_slots(const LoadModel& model, const SlotOfUnit& slot_of) {
  return value_of_loads(slot_loads(model, slot_of));
}
SlotOfUnit slots_of_placement(const LoadModel& model, const Placement& placement);
Placement placement_of_slots(const Problem& problem, const LoadModel& model,
                             const SlotOfUnit& slot_of);

struct LoadProgramOptions {
  SlotOfUnit fixed{};                // by unit: its slot, or kFreeUnit; empty: all are free
  std::vector<std::uint8_t> open{};  // by slot: whether free units may use it; empty: all
  double limit = kNoLimit;           // microseconds: no solution above it is wanted
  bool open_top = false;           // the limit fixes units and nets, but is no row of the program:
                                   // for proofs (milp_check.h)
  double scale = 1;                // microseconds that become 1 in the program
  std::vector<PieceRow> forced{};  // of the first class; valid under the limit
};

struct LoadProgram {
  MilpModel milp;
  double scale = 1;
  std::size_t slots = 0;
  std::vector<std::optional<VariableId>> x;  // unit * slots + slot; empty: never there
  std::vector<std::uint32_t> rank;           // of a unit in the symmetry order; fixed ones last
  SlotOfUnit fixed;
  bool impossible = false;  // a unit has no slot left

  // The same assignment with the devices of each class renamed as symmetry wants them.
  SlotOfUnit renamed(const LoadModel& model, const SlotOfUnit& slot_of) const;
  // Integer variables of an assignment, NaN for the rest: a start for the solver.
  std::vector<double> start(const SlotOfUnit& slot_of) const;
  SlotOfUnit read(std::span<const double> values) const;
};

LoadProgram load_program(const LoadModel& model, const LoadProgramOptions& options = {});

}  // namespace berth
