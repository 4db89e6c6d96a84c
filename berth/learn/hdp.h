// `hdp`: one network groups the operators, a second one places the groups; both learn together.
//
// The grouper looks at each co-location set by itself, its operator types, embedded, the shapes of
// what leaves it, and where its neighbours stand, and draws one of G groups for it:
//   q(v, .) = softmax(W_2 relu(W_1 x_v)),    G = min(groups, groups_per_device |D|, sets)
// The placer reads the groups in their order as summed types, summed shapes, and the number of
// edges to and from every group, each of these divided by its largest entry + 1; an LSTM in both
// directions, then a decoder with attention (learn/torch/recurrent_placer.h), gives each a device.
// REINFORCE weights the sum of both log p by how a placement compares with the moving average
// (moving_baseline.h). Several placements are drawn for each grouping.
//
// The published bound and temperature of logits, 256 groups (groups_per_device = 0), 4 placements
// are options; the authors' program has tanh = 1, temperature = 1 and a decoder that sees only the
// device before (aligned = false). A group that no single device may run gets one that some of it
// may use; sets that may not go to their fastest. Learns one problem.
//
// O(sets G) for each grouping, O(G^2) for each placement. Mirhoseini et al., A Hierarchical Model
// for Device Placement, ICLR 2018.
#pragma once

#include "berth/learn/recurrent_options.h"
#include "berth/place/context.h"

namespace berth {

struct HdpOptions : RecurrentOptions {
  int groups = 256;
  int groups_per_device = 20;
  int placements = 4;  // of each grouping
  int grouper = 64;    // width

  HdpOptions() {
    updates = 125;
    rollouts = 16;
    tanh = 5;
    temperature = 10;
  }

  void check() const;

  void visit(auto& v) {
    v("groups", groups, "at most");
    v("groups_per_device", groups_per_device, "at most so many for each device; 0: no such limit");
    v("placements", placements, "drawn for each grouping");
    v("grouper", grouper, "width of the network that draws groups");
    visit_network(v);
    visit_learning(v);
  }
};

// Throws Error when this build or machine has no LibTorch.
void hdp(const Context& context, const HdpOptions& options);

}  // namespace berth
