// The contiguous max-load problem as an integer program: devices are positions of a pipeline.
//
// The optimum is that of ideal-dp, but no ideals are listed, so graphs with many parallel
// branches are no obstacle. x[u,d] binary, unit u at position d; y[u,d] = sum of x[u,e], e <= d:
//   y[v,d] <= y[u,d]                          for every order edge u -> v and position d
// says that v is never before u, and convexity follows. Which class of device stands at a position
// is free: kappa[d,c] binary, one class per position and as many positions as a class has devices:
//   T >= load_c of position d - H_c (1 - kappa[d,c])
// with cuts, memory, halves and overlap as in load_program.h, memory relaxed in the same way. H_c
// is the largest load of class c that a piece can have which fits another class below the limit.
// Positions are ordered by the graph: no symmetry is left but that of empty pieces.
#pragma once

#include "berth/place/load/load_program.h"

namespace berth {

struct ChainProgram {
  MilpModel milp;
  double scale = 1;
  std::size_t positions = 0;
  std::vector<VariableId> x;      // unit * positions + position
  std::vector<VariableId> kappa;  // position * classes + class

  SlotOfUnit read(const LoadModel& model, std::span<const double> values) const;
  // Integer variables of a contiguous assignment, NaN for the rest; empty when it is none.
  std::vector<double> start(const LoadModel& model, const SlotOfUnit& slot_of) const;
};

// `model` must be ordered. Microseconds: no solution above `limit` is wanted (units that exceed it
// alone are kept out), `scale` of them become 1 in the program.
ChainProgram chain_program(const LoadModel& model, double limit, double scale);

}  // namespace berth
