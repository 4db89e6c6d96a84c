// What a user asks of a problem beyond what its file says: memory left free, servers, a network
// between them, further constraints. Messages call options by their names on the command line.
#pragma once

#include "berth/problem.h"

namespace berth {

struct ProblemOptions {
  std::vector<std::string> reserve;  // cost/change_cluster.h
  std::optional<int> servers;        // divide the devices into so many
  std::optional<double> network;     // GB/s between servers
  std::string constraints;           // a file; empty: the problem's own alone
};

struct LoadedProblem {
  Problem problem;
  std::vector<std::string> warnings;  // requests that were not honoured
};

LoadedProblem with_options(LoadedProblem loaded, const ProblemOptions& options);

// Options that mean nothing for how the problem is executed, as warnings.
std::vector<std::string> unused_options(const Problem& problem, const ProblemOptions& options);

}  // namespace berth
