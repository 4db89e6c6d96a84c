// Ranks and longest paths: how much work hangs below a node, whatever device it gets.
//
// The upward rank of a node is the length of the longest path from it to a sink, counting mean
// node times and mean transfer times:
//   rank(v) = w(v) + max over successors s of ( cbar(v,s) + rank(s) ),  0 for none
//   w(v) = mean of p(v,d) over the devices that run v;  cbar = mean over all ordered pairs of
//   devices, a device with itself (0) included: a consumer may also land where its producer is.
// The parts of one sum of gradients (graph/backward.h) follow each other only because they add to one
// place. None is more urgent for those behind it: over such an edge to the next part s, rank(v) is
// at least rank(s), without times. Otherwise a weight with many users would outrank the backward pass
// that everything waits for.
// Sorting by falling rank gives a topological order; it is the priority of list schedulers (HEFT,
// Topcuoglu et al. 2002) and of devices in concurrent execution. O(V + E).
#pragma once

#include "berth/problem.h"

namespace berth {

IdVector<NodeId, Duration> mean_times(const Problem& problem);        // w
IdVector<TensorId, Duration> mean_transfers(const Problem& problem);  // cbar, one per tensor
IdVector<NodeId, Duration> upward_ranks(const Problem& problem);

// Nodes by falling upward rank; ties keep topological order. Always a topological order.
std::vector<NodeId> priority_order(const Problem& problem);

// The longest path when every node runs on its fastest device and nothing is transferred.
Duration critical_path(const Problem& problem);

}  // namespace berth
