// The SCT program: which node should run right after which, on the same device.
//
// With more devices than work, an optimal schedule gives each node at most one child that it need
// not send its output to. The linear relaxation of that problem, over edges e = (i,j), starts s and
// makespan w (x = 0: j is i's favourite child and pays no transfer):
//   minimise w
//   s_i + p_i + c_ij x_ij <= s_j            for every edge
//   s_i + p_i <= w,  s_i >= 0               for every node
//   sum_j x_ij >= outdegree(i) - 1          for every i with successors     at most one child
//   sum_i x_ij >= indegree(j) - 1           for every j with predecessors   at most one parent
//   0 <= x_ij <= 1
// p and c are means over devices and pairs (transform/ranks.h); an edge that carries several
// tensors costs their sum, as a channel is serial. j is i's favourite when x_ij < 1/2, strictly:
// two such values at one node would break its row, so that favourites pair up without repair. w is
// not a lower bound of the makespan. E + V + 1 variables, E + 3 V rows; HiGHS solves it.
//
// Hanen and Munier, An Approximation Algorithm for Scheduling Dependent Tasks on m Processors with
// Small Communication Delays, 1995; Jeon et al., Baechi, SoCC 2020.
#pragma once

#include "berth/problem.h"
#include "berth/search/budget.h"

namespace berth {

struct SctFavourites {
  IdVector<NodeId, std::optional<NodeId>> child;  // of each node; empty: none
  std::string failure;                            // why the program was not solved; empty: it was
};

// Needs a solver: milp_available().
SctFavourites favourite_children(const Problem& problem, const Budget& budget);

}  // namespace berth
