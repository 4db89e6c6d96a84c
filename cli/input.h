// The problem that a verb works on: a problem file, a model file or a network of the zoo, changed
// as the command line asks.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "berth/cost/devices.h"
#include "berth/io/problem_options.h"
#include "berth/problem.h"
#include "cli/execution_options.h"

namespace berth {

struct InputOptions {
  std::string devices;  // a file or a built-in cluster; empty: the file's own
  bool training = false;
  bool estimate = false;  // models on this machine: times are estimated instead of measured
  bool ignore_memory = false;
  std::optional<std::int64_t> batch;  // models
  std::vector<std::string> shapes;    // models: "input=1,3,224,224", or "1,3,224,224"
  ProblemOptions changes;
  ExecutionOptions execution;
};

// Everything but the name of the input itself and --devices, which compare reads otherwise.
void add_input_options(CLI::App& verb, InputOptions& options);
void add_devices_option(CLI::App& verb, InputOptions& options);

// `input` is a path, "-" for standard input, or "zoo:NAME(key=value,...)".
LoadedProblem load_problem(const std::string& input, const InputOptions& options);

// The rest of what the options ask of a problem: reserved memory, constraints, execution model.
LoadedProblem finish_problem(LoadedProblem loaded, const InputOptions& options);

// A cluster by its built-in name, `local` or `local:N` for this machine, or from a file.
Cluster load_cluster(const std::string& name_or_file);

// Throws Error when a file could not be written there, before a long search rather than after it.
void check_writable(const std::string& path);

}  // namespace berth
