// `scotch`: a balanced partition by Scotch, the baseline of published placement tables.
//
// Call problems (dnn-partitioning): the undirected graph of co-location sets, vertex weight =
// time on an accelerator, edge weight = sum of the transfer times of the distinct tensors that run
// between two sets in either direction, as many parts as there are accelerators; CPUs get only
// what accelerators cannot run. Other problems: mean times, all devices, shares by their speed.
// Direction, schedule and memory are ignored. Near linear in the size of the graph.
//
// Pellegrini and Roman, Scotch: A Software Package for Static Mapping by Dual Recursive
// Bipartitioning of Process and Architecture Graphs, HPCN 1996.
#pragma once

#include "berth/place/context.h"

namespace berth {

struct ScotchOptions {
  double imbalance = 0.05;  // parts may exceed their share by this much; Scotch's own default

  void visit(auto& v) {
    v("imbalance", imbalance, "parts may exceed their share by this fraction");
  }
  void check() const;
};

// Without Scotch in this build: no placement, and the reason.
void scotch(const Context& context, const ScotchOptions& options);

}  // namespace berth
