// What a file may ask for, so that no later sum overflows and no table eats the machine.
//
// Every reader keeps to these. They lie far beyond real problems: a petabyte of tensors, thirty
// thousand years per operator, 200 devices (so that each directed link can be a channel).
#pragma once

#include "berth/base/fail.h"
#include "berth/problem.h"

namespace berth {

inline constexpr double kLongestMicros = 1e18;
inline constexpr std::int64_t kLargestBytes = std::int64_t{1} << 52;
inline constexpr double kLargestFrequency = 1e9;
inline constexpr std::size_t kMostDevices = 200;
inline constexpr std::size_t kMostNodes = std::size_t{1} << 27;
inline constexpr std::size_t kLargestTable = std::size_t{1} << 27;  // numbers; 1 GiB

// Throws Error when there are more nodes or devices, or their table is larger, than that.
void check_counts(const std::string& file, std::size_t nodes, std::size_t devices);
// The table of transfer times per tensor and pair of devices.
void check_pair_table(const std::string& file, std::size_t tensors, std::size_t devices);
// All weights, workspaces and uses of tensors together stay below kLargestBytes.
void check_total_bytes(const std::string& file, const Graph& graph);

// Calls `build`, which knows nothing of files (a graph builder, a Problem), and puts the file in
// front of its Error.
template <class Build>
decltype(auto) in_file(const std::string& file, Build&& build) {
  try {
    return std::forward<Build>(build)();
  } catch (const Error& error) {
    throw Error(file + ": " + error.what());
  }
}

// What a file gave, built and within the limits; every Error names the file.
Graph checked_graph(const std::string& file, GraphBuilder builder);
Problem checked_problem(const std::string& file, const std::string& name, GraphBuilder builder,
                        const Cluster& cluster, Costs costs, ExecutionModel model = {});

}  // namespace berth
