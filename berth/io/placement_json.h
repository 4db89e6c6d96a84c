// Placements from files, in any of three forms:
//
//   {"placement": {"node": "device", ...}, "order": ["node", ...],        what `place -o` writes
//    "replicas": {"device": "device it repeats", ...}, ...}
//   {"node": "device", ...}                                               written by hand
//   {"cpus": [{"nodes": [ids]}, ...], "fpgas": [{"nodes": [ids]}, ...]}   dnn-partitioning's split
//
// Nodes are looked up by name, then by alias (their id in a foreign file); in a split by alias
// first. The i-th group of "cpus" goes to the i-th CPU of the cluster, that of "fpgas" to the i-th
// other device. A split may leave out nodes that must share a device with one it lists (the
// backward part of a training graph): they follow it. Anything else that is missing, unknown or
// given twice is an Error. Whether the placement is feasible is not judged here.
#pragma once

#include <filesystem>

#include "berth/placement.h"

namespace berth {

Placement read_placement(const std::filesystem::path& path, const Problem& problem);
Placement parse_placement(std::string_view text, const std::string& file, const Problem& problem);

}  // namespace berth
