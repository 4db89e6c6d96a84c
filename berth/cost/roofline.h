// Times that were never measured: an estimate from flops and bytes.
//
// A device does at best `peak` operations and moves at best `bandwidth` bytes per second, and
// starting an operator takes `launch`:
//   time(v,d) = max( flops(v) / (0.5 peak(d)),  bytes(v) / bandwidth(d) ) + launch(d)
//   bytes(v)  = input tensors + weights + output tensors
// Half of the peak is what dense kernels reach in practice. Operators that only rename memory
// (Reshape, Squeeze, ...) cost their launch; a Gather reads the rows it gives back, not the table;
// those that are not run at all (Parameter, Constant, Result) cost nothing.
//
// A weight that several nodes share is moved once: a tensor of role kWeight counts for its first
// user, a sum of gradients for the node that adds the last part and the one that applies it. So a
// graph takes the same work whether its weights are tied or not (graph/backward.h). O((V + E) D).
//
// Williams, Waterman and Patterson, Roofline: An Insightful Visual Performance Model, CACM 2009.
#pragma once

#include "berth/cost/costs.h"

namespace berth {

// Throws Error when a device lacks its peak or bandwidth.
NodeTimes roofline_times(const Graph& graph, const Cluster& cluster);

}  // namespace berth
