// Layer profiles of github.com/msr-fiddle/pipedream.
//
//   nodeN -- <layer> -- forward_compute_time=<ms>, backward_compute_time=<ms>,
//            activation_size=<bytes>, parameter_size=<bytes>        one line per node
//   TAB nodeA -- nodeB                                              one line per edge
//
// The file has no devices: they must be given. Its times were taken on one GPU; here they hold for
// the fastest accelerator of the cluster, and others are slower by the ratio of peak speeds where
// both are known. CPUs cannot run the layers, unless the cluster has nothing else. A list of
// activations "[a; b]" is summed into one tensor, because the file does not say which consumer
// takes which. The model is execution "pipeline", objective throughput.
//
// With options.training every node X gets a backward node Xgrad on the same device, which uses X's
// own activation; each edge A -> B is mirrored by a gradient Bgrad -> Agrad of the size of A's
// activation.
#pragma once

#include "berth/io/read_problem.h"

namespace berth {

Problem parse_pipedream(std::string_view text, const std::string& file, const std::string& name,
                        const ReadOptions& options);

}  // namespace berth
