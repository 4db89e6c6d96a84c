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

#include "berth/place/placer.h"

namespace berth {

struct ScotchOptions {
  double imbalance = 0.05;  // parts may exceed their share by this much; Scotch's own default

  void visit(auto& v) {
    v("imbalance", imbalance, "parts may exceed their share by this fraction");
  }
};

class ScotchPlacer : public Placer {
 public:
  using Options = ScotchOptions;
  // Throws Error for an imbalance below 0 or above 10.
  explicit ScotchPlacer(Options options);
  // Without Scotch in this build: no placement, and the reason.
  Outcome place(const Problem& problem, Budget& budget, Rng& rng) const override;

 private:
  Options options_;
};

}  // namespace berth
