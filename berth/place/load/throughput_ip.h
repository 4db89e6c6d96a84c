// Max-load placement by integer programming, with a proof or a gap.
//
//   1. A good placement first: linear orders and balanced partitions, annealed.
//   2. Large neighbourhoods (large_neighbourhood.h): a few devices freed, the rest fixed; under a
//      time limit around several annealed placements.
//   3. Prices of pieces (piece_prices.h): a bound that counts cuts.
//   4. The whole program (load_program.h) with what is known as its first solution, checked against
//      the truth (milp_check.h). Until it comes to its end the solver's bound holds.
// Under a time limit step 4 has a thread of its own beside 2 and 3, and starts anew once if prices
// promise a better bound than it has; without one the steps follow each other and one seed gives
// one result. Contiguous problems take the chain form instead (chain_program.h).
//
// Whatever ends the search (time limit, node limit, Ctrl-C), the best placement and the bound so
// far are kept. Values are the simulator's, never the solver's. Where loads are not the problem's
// own (a pipeline over point-to-point links) they are never above it: the bound holds all the same.
//
// Tarnawski et al., Efficient Algorithms for Device Placement of DNN Graph Operators, NeurIPS 2020.
#pragma once

#include <string>

#include "berth/base/options.h"
#include "berth/place/context.h"

namespace berth {

struct ThroughputIpOptions {
  double nodes = 5000;   // of branch and bound, when there is no time limit; 0: until proven
  double steps = 0;      // of annealing before it; 0: by the size of the problem
  int rounds = 30;       // neighbourhoods, when there is no time limit
  bool tighten = true;   // prices of pieces (piece_prices.h): a bound, and rows for the program
  bool presolve = true;  // of the program; without it, a proof by another way
  int threads = 0;       // of annealing; the solver takes one

  void visit(auto& v) {
    v("nodes", nodes, "branch-and-bound nodes when there is no time limit; 0: until proven");
    v("steps", steps, "evaluations of annealing first; 0: by the size of the problem");
    v("rounds", rounds, "large neighbourhoods to search when there is no time limit");
    v("tighten", tighten, "bound by prices of pieces, and add the rows that they give");
    v("presolve", presolve,
      "let the solver simplify the program first; off: a proof by another way");
    v("threads", threads,
      "0: all cores; annealing uses them, and the proof runs beside the search under a time limit");
  }
};

void throughput_ip(const Context& context, const ThroughputIpOptions& options);

}  // namespace berth
