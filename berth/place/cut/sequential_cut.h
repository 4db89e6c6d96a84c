// `sequential-cut`: optimal placement when the subgraphs of a sample run one after another.
//
// Nothing overlaps, so time adds up (additive_cost.h), and the best placement is a cut:
//
//   two devices     one minimum s-t cut decides every unit (cut_moves.h); the optimum, proven
//   more devices    expansions and swaps, each a minimum cut, to a common local optimum; a lower
//                   bound from the linear relaxation (multiway_bound.h) when it is small enough
//   overhead o      per subgraph, is no sum over nets: a surcharge on every transfer is swept over
//                   {0, o/8, o/4, o/2, o, 2o}, and each cut is judged by the simulator; the cut
//                   without surcharge is a lower bound
//   memory          a price per byte m on the fuller device (Lagrange multiplier mu): of all prices
//                   the best bound is max over mu of cut(p + mu m) - mu M, reached by intersecting
//                   the lines of the last placements that did and did not fit; bounds count
//                   weights only, which any schedule holds. The best placement that fits is then
//                   improved by local search
//   apart           each way to keep the units apart is a set of pins; few ways are all tried
//
// On other execution models the placement is that of the additive cost, judged by the problem's
// own simulator where there is a choice; no bound is claimed.
//
// Cost: near linear in practice; two devices: 1000 nodes in 2 ms, 50000 in 0.15 s (bench/cut).
// Stone, Multiprocessor Scheduling with the Aid of Network Flow Algorithms, 1977.
#pragma once

#include "berth/place/context.h"

namespace berth {

struct SequentialCutOptions {
  int bound_size = 20000;    // largest units * devices for the linear bound on over two devices
  int improvements = 20000;  // evaluations of local search where the cut is not the last word

  void visit(auto& v) {
    v("bound_size", bound_size, "largest units x devices for the linear bound; 0: none");
    v("improvements", improvements, "evaluations of local search where no cut is exact; 0: none");
  }
};

void sequential_cut(const Context& context, const SequentialCutOptions& options);

}  // namespace berth
