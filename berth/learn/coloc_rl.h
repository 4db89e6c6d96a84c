// `coloc-rl`: a recurrent network reads the groups in order and names a device for each.
//
// Co-location sets are joined along heavy edges to at most `groups` (heavy_edge_groups.h), the same
// groups as Post's. A group is told as the shares of its operator types, embedded, the shapes of
// what leaves it (group_features.h), and its row of the adjacency of groups; the order tells which
// way an edge leads. An LSTM reads the groups in topological order, a second one gives each its
// device, looking back at all groups (learn/torch/recurrent_placer.h). REINFORCE lowers the root of
// the time against a moving average (moving_baseline.h). Learns one problem.
//
// O(G^2) attention for each placement. Mirhoseini et al., Device Placement Optimization with
// Reinforcement Learning, ICML 2017; "RNN-based" in later papers.
#pragma once

#include "berth/learn/recurrent_options.h"
#include "berth/place/context.h"

namespace berth {

struct ColocRlOptions : RecurrentOptions {
  int groups = 128;

  ColocRlOptions() {
    updates = 100;
    rollouts = 20;
  }

  void check() const;

  void visit(auto& v) {
    v("groups", groups, "sets are joined along heavy edges to at most so many");
    visit_network(v);
    visit_learning(v);
  }
};

// Throws Error when this build or machine has no LibTorch.
void coloc_rl(const Context& context, const ColocRlOptions& options);

}  // namespace berth
