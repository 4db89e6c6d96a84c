// Which operators must share a device, read off the model.
//
// Nothing has to be listed by the user. Five rules join operators; groups are what the joins make:
//
//   state    what reads and what writes one variable (a cache that outlives a run) go together;
//   shapes   an operator whose outputs are integers of rank 0 or 1 (a shape, an axis, a length)
//            goes with everything that uses it: a cut there makes static shapes dynamic;
//   converts a Convert goes with its only user, or with its producer when it has several;
//   tied     operators that use one constant of 16 KiB or more go together: the weight is kept
//            once (shared_constants.h). Not where weights are untied;
//   fused    an operator joins the producer of an input when it is that producer's only user and
//              - it is pointwise with one input that is not constant (bias, activation, scale), or
//                renames memory (Reshape, Squeeze, Unsqueeze), or
//              - it is pointwise with two such inputs (a residual Add), and the producer ends a
//                chain that begins with a convolution or matrix product: Convolution + Add + Relu,
//                MatMul + Add + Gelu. Of two such producers the one at the end of the longer way is
//                taken.
//
// The last rule merges a producer only into its sole user, so on its own it closes no cycle.
#pragma once

#include "berth/runtime/openvino/operators.h"
#include "berth/runtime/runtime.h"

namespace berth {

// A number per group of two or more; kNoGroup for operators that stand alone.
IdVector<NodeId, std::int32_t> colocation_groups(const Operators& operators,
                                                 SharedWeights weights = SharedWeights::kTied);

}  // namespace berth
