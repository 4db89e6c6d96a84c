// Low one-sample latency in the call model: everything one after another, by dynamic programming.
//
// In the call model (sim/call.h) an accelerator runs its piece as one call, and CPU nodes run as
// soon as their inputs are ready. Were nothing to overlap, the latency of a split would be the sum
// of its calls and CPU units; the least such sum over chains of ideals is
//   f[0][0] = 0
//   f[I][s] = min( f[I - v][s] + p_cpu(v)                                     v last in I
//                  min over ideals J in I and classes c of
//                      f[J][s - e_c] + load_c(I \ J),  bytes(I \ J) <= M_c )
// with s the accelerators used per class. It is an upper bound on the true latency of the split, by
// which the split is then judged: what overlaps is gained for free. The true optimum may be another
// split, so the method proves nothing.
//
// Push form. Ideals are processed by size; from J, units are added one by one, each superset once,
// until  f[J] + p_acc(S) + permanent cuts(S) + sum of min(p_acc, p_cpu) over the rest >= U  or the
// bytes do not fit. U comes from the same recurrence along many linear orders, whose prefixes are
// the only ideals: O(n^2 states) per order. The splits of all orders are judged by their true
// latency too. Time O(pairs within U * nets of a unit); memory O(reached ideals * states).
//
// Model: Tarnawski et al., Efficient Algorithms for Device Placement of DNN Graph Operators, 2020.
#pragma once

#include "berth/base/options.h"
#include "berth/place/context.h"

namespace berth {

struct LatencyDpOptions {
  int orders = 40;       // linear orders for the first limit
  int memory_mb = 2048;  // for the table of ideals; more means falling back to linear orders

  void visit(auto& v) {
    v("orders", orders, "linear orders that give the first limit");
    v("memory_mb", memory_mb, "most memory for the table of ideals, in MB");
  }
};

void latency_dp(const Context& context, const LatencyDpOptions& options);

}  // namespace berth
