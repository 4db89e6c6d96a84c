// Problems of github.com/moirai-placement/moirai, re-encoded as JSON: one-sample latency on
// unequal devices.
//
//   {"devices": K, "device_memory": [K], "nodes": [{"id", "time": [K], "mem"}],
//    "edges": [{"src", "dst", "comm": [K][K] or null}]}
//
// Times are read as milliseconds. comm[a][b] is the time to move the data when src is on device a
// and dst on b; null is no time at all. Out-edges of one node with equal matrices are one tensor,
// sent once per receiving device. `mem` becomes the weights of the node, rounded up; sizes of
// tensors are not in the file. Links are never contended; the model is concurrent latency. Devices
// are named dev0, dev1, ...; a cluster in the options must have K devices and lends its names,
// kinds and memory limits.
#pragma once

#include "berth/io/json_value.h"
#include "berth/io/read_problem.h"

namespace berth {

Problem moirai_problem(const JsonValue& root, const std::string& name, const ReadOptions& options);

}  // namespace berth
