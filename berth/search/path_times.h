// Heads and tails: the least time that every schedule spends before and after a node.
//
//   head(v,d)  end of v on d:     p(v,d) + max over inputs t from u of
//                                          min over d' of ( head(u,d') + c(t;d',d) )
//   tail(v,d)  from its start on: p(v,d) + max over outputs t and their consumers s of
//                                          min over d' of ( c(t;d,d') + tail(s,d') )
// Every neighbour chooses its device on its own, which relaxes the problem; nodes of v's unit have
// no choice. Devices are never busy and links never contended. So with v on d nothing ends before
//   head(v,d) + tail(v,d) - p(v,d)
// and the largest over v of the least over d of that bounds every latency. Tails are also what a
// list scheduler looks ahead with: the optimistic cost table of PEFT is tail - p.
//
// c as the execution model counts it (sim/crossings.h); infinite where v may not run. O(E D^2).
//
// Arabnejad, Barbosa, List Scheduling Algorithm for Heterogeneous Systems by an Optimistic Cost
// Table, IEEE TPDS 2014.
#pragma once

#include <vector>

#include "berth/problem.h"

namespace berth {

// Microseconds by node and device, node-major.
class PathTimes {
 public:
  explicit PathTimes(const Problem& problem)
      : devices_(problem.device_count()),
        micros_(problem.node_count() * devices_, kForever.count()) {}

  double& at(NodeId node, DeviceId device) {
    return micros_[index(node) * devices_ + index(device)];
  }
  double at(NodeId node, DeviceId device) const {
    return micros_[index(node) * devices_ + index(device)];
  }

 private:
  std::size_t devices_;
  std::vector<double> micros_;
};

PathTimes head_times(const Problem& problem);
PathTimes tail_times(const Problem& problem);

// The bound of the header, in microseconds.
double longest_path(const Problem& problem);

}  // namespace berth
