// Optimal pipeline throughput when every device holds a contiguous piece of the graph.
//
// An ideal is a unit set closed under predecessors, and a contiguous split is a chain of ideals:
//   best[I][s] = min over ideals J in I and classes c of  max( best[J][s - e_c], load_c(I \ J) )
// with s the devices used per class. Only ideals on splits with all loads below a limit T are worth
// a look, and the closer T is to the optimum the fewer they are (ideal_search.h). The first T is
// just below the best split of many linear orders (linear_dp.h): mostly it is optimal, and the
// search that finds nothing is the proof. If that takes long, T rises from the work floor in steps;
// the first search that finds a split finds the optimum, and each one before is a lower bound. Time
// O(useful pairs of ideals * nets of a unit), parallel over ideals; memory O(useful ideals).
//
// The ideals are counted first. If they cannot all be held, the searches end where the memory or a
// fixed number of steps does, and the result is the best linear split with the bound proven by
// then.
//
// GPipe (max forward + max backward): the smallest backward maximum under each of a falling
// sequence of forward limits; every step is a Pareto point.
//
// Replication: a stage may take r devices of a class, s - r e_c above, which take samples in turn
// (sim/replicas.h); the bounds hold as they are, because r devices do no more than r times the
// work.
//
// Hierarchy: where the cluster has several servers and a network between them, the chain is one of
// servers, each a chain of its devices (expand_servers.h), and the busiest wire counts like a
// device.
//
// Tarnawski et al., Efficient Algorithms for Device Placement of DNN Graph Operators, NeurIPS 2020.
#pragma once

#include "berth/base/options.h"
#include "berth/place/context.h"
#include "berth/place/load/piece_chain.h"

namespace berth {

struct IdealDpOptions {
  int orders = 40;       // linear orders for the first limit
  int memory_mb = 2048;  // for the table of ideals; more means falling back to linear orders
  int replicas = 1;      // most devices for one stage
  int threads = 0;       // 0: as many as the machine has cores; the result is the same

  void visit(auto& v) {
    v("orders", orders, "linear orders that give the first limit");
    v("memory_mb", memory_mb, "most memory for the table of ideals, in MB");
    v("replicas", replicas, "most devices that share a stage, taking samples in turn");
    v("threads", threads, "threads of the search; 0: one for each core");
  }
};

void ideal_dp(const Context& context, const IdealDpOptions& options);

}  // namespace berth
