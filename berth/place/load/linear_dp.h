// Optimal contiguous throughput along one linear order of the units, for many orders.
//
// In a fixed topological order only the n + 1 prefixes are ideals, so a split is a set of cut
// points. With s a vector of devices used per class,
//   best[i][s] = min over j < i, classes c with s_c > 0 of max( best[j][s - e_c], load_c(j..i) )
// where the load of a segment grows unit by unit (piece_load.h); a row ends as soon as no class can
// take a longer segment. O(n^2 classes states) per order, a few milliseconds at n = 300.
// One order is near optimal, the best of forty nearly always optimal; orders are depth-first (Kahn
// with a stack), successors shuffled and one pop in four at random.
// GPipe (value = max forward + max backward): the backward maximum is minimised under falling
// limits on the forward one; each step gives a Pareto point, the best sum wins.
//
// Replication: a segment may take r devices of a class, which take samples in turn
// (sim/replicas.h). Servers with a network between them: runs of consecutive segments, by the
// search over ideals (expand_servers.h), whose ideals are the prefixes here.
//
// Tarnawski et al., NeurIPS 2020 (DPL, one order).
#pragma once

#include "berth/base/options.h"
#include "berth/place/context.h"
#include "berth/place/load/piece_chain.h"

namespace berth {

struct LinearDpOptions {
  int orders = 40;   // linear orders to try
  int replicas = 1;  // most devices for one stage

  void visit(auto& v) {
    v("orders", orders, "linear orders to try; the best split wins");
    v("replicas", replicas, "most devices that share a stage, taking samples in turn");
  }
};

void linear_dp(const Context& context, const LinearDpOptions& options);

// A topological order of the units: Kahn with a stack. Unless it is the plain one, successors are
// shuffled and one pop in four is at random.
std::vector<std::uint32_t> depth_first_order(const LoadModel& model, Rng& rng, bool plain);

// The best split over several orders; empty when no order gives one that fits.
std::optional<PieceChain> best_linear_split(const LoadModel& model, int orders, Budget& budget,
                                            const Rng& rng);

// The best split of one order that beats `below` (the largest load of each half must stay under
// its limit; the sum of halves under `value`), if any.
std::optional<PieceChain> linear_split(const LoadModel& model,
                                       const std::vector<std::uint32_t>& order, double value);

}  // namespace berth
