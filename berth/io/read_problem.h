// Any problem file to a Problem: berth's own format and four foreign ones, told apart by content.
//
//   berth             JSON with "berth_problem" (problem_json.h)
//   dnn-partitioning  JSON with "maxFPGAs" (dnn_partitioning.h)
//   moirai            JSON with "device_memory" (moirai.h)
//   pipedream         lines "nodeN -- layer -- forward_compute_time=..." (pipedream.h)
//   Doppler           a vertex count on the first line (doppler.h)
//
// A file that is malformed, truncated, hostile or something else gives an Error with the file, the
// place (JSON path or line) and what was expected; never a partial problem. Memory is linear in the
// size of the file, apart from the tables nodes x devices and tensors x devices^2, which are
// limited (limits.h).
#pragma once

#include <filesystem>

#include "berth/problem.h"

namespace berth {

struct ReadOptions {
  // Devices to place on: needed by pipedream, optional elsewhere; each reader says what it does.
  std::optional<Cluster> cluster;
  bool training = false;       // pipedream: add the backward pass
  bool ignore_memory = false;  // lift the memory limits of all devices
};

// The problem is named after the file, without directory and extension, unless the file has a name.
Problem read_problem(const std::filesystem::path& path, const ReadOptions& options = {});
Problem parse_problem(std::string_view text, const std::string& file_name,
                      const ReadOptions& options = {});

}  // namespace berth
