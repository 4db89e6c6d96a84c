// Optimal pipeline throughput when every device holds a contiguous piece of the graph.
//
// An ideal is a unit set closed under predecessors, and a contiguous split is a chain of ideals:
//   best[I][s] = min over ideals J in I and classes c of  max( best[J][s - e_c], load_c(I \ J) )
// with s the devices used per class. Solved in threshold form: for a limit T,
//   g[I][s] = the fewest devices of class 0, s of the others, that cover I with all loads < T
// First T is just below the best split of many linear orders (linear_dp.h). If T is reached, the
// largest load actually used is the next T; the run that fails proves the last split optimal.
//
// Push form. Ideals are processed by size. From J, units are added one by one, each superset once (a
// unit that was passed over stays out), while one class may still take the piece: compute + permanent
// cuts < T, bytes fit. Every I reached by a piece that fits gets g[I] = min(g[I], g[J] + 1). Nothing
// is stored per pair, and an ideal exists only once it is reached and useful, that is when the work
// left can be done by the devices left:
//   sum of p(V \ I)  <=  T * (devices left, each counted by its best speed ratio to class 0)
// Balanced optima leave little slack, so few ideals are useful. The split is found afterwards by one
// downward walk per device.
// Time O(useful pairs * nets of a unit); memory O(reached ideals * states).
//
// GPipe (max forward + max backward): the backward limit is lowered to its minimum under each of a
// falling sequence of forward limits; every step is a Pareto point.
//
// Tarnawski et al., Efficient Algorithms for Device Placement of DNN Graph Operators, NeurIPS 2020.
#pragma once

#include "berth/place/exact/piece_chain.h"
#include "berth/place/options.h"
#include "berth/place/placer.h"

namespace berth {

struct IdealDpOptions {
  int orders = 40;        // linear orders for the first limit
  int memory_mb = 2048;   // for the table of ideals; more means falling back to linear orders

  void visit(auto& v) {
    v("orders", orders, "linear orders that give the first limit");
    v("memory_mb", memory_mb, "most memory for the table of ideals, in MB");
  }
};

class IdealDp : public Placer {
 public:
  using Options = IdealDpOptions;
  explicit IdealDp(Options options) : options_(options) {}
  Outcome place(const Problem& problem, Budget& budget, Rng& rng) const override;

 private:
  Options options_;
};

}  // namespace berth
