// Problems of github.com/msr-fiddle/dnn-partitioning: max-load and latency with accelerator calls.
//
//   {"maxSizePerFPGA": bytes, "maxFPGAs": k, "maxCPUs": l,
//    "nodes": [{"id", "name", "supportedOnFpga", "cpuLatency", "fpgaLatency", "isBackwardNode",
//               "colorClass", "size"}],
//    "edges": [{"sourceId", "destId", "cost", "size"}]}
//
// Devices are acc0 .. acc(k-1) with the memory limit, then cpu0 .. cpu(l-1) without. Times and edge
// costs are milliseconds, taken as they are (the costs in throughput-inputs/LayerGraphs are 1000
// times smaller than elsewhere: so they are published). A colour is a co-location group. An edge
// cost is that of moving the source's output between an accelerator and host memory: edges of one
// source with one cost (to 1e-6) are one tensor, others are tensors of their own. Edge sizes are
// kept as tensor sizes, for information. The model is execution "call", objective throughput.
//
// A node is named by its name when all names are there and unique, otherwise by its id; the id is
// its alias. With a cluster in the options its CPUs take cpuLatency and all others fpgaLatency.
#pragma once

#include "berth/io/json_value.h"
#include "berth/io/read_problem.h"

namespace berth {

Problem dnn_partitioning_problem(const JsonValue& root, const std::string& name,
                                 const ReadOptions& options);

}  // namespace berth
