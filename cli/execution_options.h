// How a placement is to be executed and measured, as asked for on the command line.
//
// A problem brings its own execution model; options change it. Throughput of a problem that runs
// concurrently is that of a pipeline (a device computes while its transfers run: overlap = max
// unless said otherwise; CPUs move data themselves, so among CPUs alone overlap = sum), and latency
// of a pipeline that of concurrent execution. Fields that the new model has as well keep their
// values. What means nothing for the model is an Error that says where it would.
#pragma once

#include <CLI/CLI.hpp>

#include "berth/problem.h"

namespace berth {

struct ExecutionOptions {
  std::optional<double> sync_bandwidth;
  std::string objective, execution, overlap, training_schedule;  // empty: as the problem says
  std::optional<double> subgraph_overhead;                       // milliseconds
  std::optional<int> pieces, max_subgraphs;
  bool contiguous = false;
};

inline constexpr const char* kExecutionGroup = "Execution model (default: as the problem says)";
void add_execution_options(CLI::App& verb, ExecutionOptions& options);

struct ChosenModel {
  ExecutionModel model;
  std::vector<std::string> warnings;
};

ChosenModel choose_model(const Problem& problem, const ExecutionOptions& options);

}  // namespace berth
