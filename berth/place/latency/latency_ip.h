// One-sample latency in the call model: the optimum, with its proof.
//
// Three stages, each given the best of the one before, until value and bound meet:
//   1. splits from latency-dp and the other heuristics;
//   2. the game of flows and splits (latency_bound.h): a bound that counts forced cuts, and splits
//      that gain from overlap. It closes most inputs alone;
//   3. the integer program with two clocks and slots (latency_program.h), which starts from that
//      value and bound. Its dual bound is taken with the solver's tolerance off.
// With more than one piece per accelerator, the optimum for one piece is the start (never worse),
// which the game with as many calls bounds and improves, and annealing after it. Stage 3 needs
// HiGHS, and so does the bound of stage 2.
//
// Tarnawski et al., Efficient Algorithms for Device Placement of DNN Graph Operators, NeurIPS 2020.
#pragma once

#include "berth/base/options.h"
#include "berth/place/context.h"

namespace berth {

struct LatencyIpOptions {
  int rounds = 200;        // of the game
  int memory_mb = 2048;    // for ideals
  int nodes = 100000;      // of the branch-and-bound tree
  double steps = 0;        // of annealing where accelerators have several pieces; 0: by the size
  int variables = 200000;  // larger programs are left out
  double gap = 1e-6;       // relative; smaller gaps count as proven
  bool presolve = true;    // of the program; without it, a proof by another way

  void visit(auto& v) {
    v("rounds", rounds, "most rounds of the bound by flows");
    v("memory_mb", memory_mb, "most memory for the table of ideals, in MB");
    v("nodes", nodes, "most nodes of the branch-and-bound tree");
    v("steps", steps, "several pieces per accelerator: evaluations of annealing; 0: by the size");
    v("variables", variables, "largest integer program to build");
    v("gap", gap, "relative gap at which the integer program stops");
    v("presolve", presolve,
      "let the solver simplify the program first; off: a proof by another way");
  }
};

void latency_ip(const Context& context, const LatencyIpOptions& options);

}  // namespace berth
