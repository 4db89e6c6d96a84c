// PipeDream's split: the graph made a path, then the best cuts of that path.
//
// Every device gets a run of consecutive stages, so the graph must first become a path. Branches
// that part and meet again lie on a common cycle of the undirected graph of units:
//   1. biconnected components (graph/biconnected.h) of the forward order between units
//   2. the tails of the edges of a component become one unit: all of it but where it ends
//   3. units without work that hang on a single other one join it
//   4. what is left is linearised, depth first
//   5. dynamic program over the cut points of that order (linear_dp.h)
// The split is the best of one order of coarse units, where linear-dp tries many orders of fine
// ones. Backward nodes follow their forward mates. The program takes O(n^2) on a
// path of n units, everything before it is near linear in V + E.
//
// Edges out of units without work do not count as branches if the unit is an input of the model or
// hands the same small tensor (below a tenth of the mean) to several units: otherwise one mask or
// attention context that every layer looks at would fuse all layers. The published program lists
// such nodes by number for two models, and in training names the wrong ones; bert24 then collapses
// into one piece of 187.9 ms where this rule gives 41.7.
//
// Latency in the call model has the max-load split, measured by its latency.
//
// Narayanan et al., PipeDream: Generalized Pipeline Parallelism for DNN Training, SOSP 2019; this
// form of it: Tarnawski et al., Efficient Algorithms for Device Placement of DNN Graph Operators,
// NeurIPS 2020.
#pragma once

#include "berth/base/options.h"
#include "berth/place/context.h"

namespace berth {

void pipedream(const Context& context, const NoOptions&);

}  // namespace berth
