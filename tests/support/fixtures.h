// Small named problems, each the smallest that shows one feature of the model, and random problems
// that mix all features. Conformance, oracle and golden tests run over them.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "berth/base/random.h"
#include "berth/placement.h"
#include "berth/problem.h"

namespace berth::fixtures {

// Every feature once; names are unique. Each can be enumerated by brute force.
const std::vector<Problem>& small_problems();
// Throws std::out_of_range for an unknown name.
const Problem& small_problem(const std::string& name);

// Execution as users name it, without the objective.
enum class ExecutionKind { kConcurrent, kSequential, kCall, kPipeline, kPieces };
const char* to_string(ExecutionKind kind);

// What a random problem may look like. Features that are not fixed here are drawn.
struct RandomShape {
  std::size_t min_nodes = 1, max_nodes = 8;
  std::size_t min_devices = 1, max_devices = 3;
  std::optional<ExecutionKind> execution{};  // drawn when empty
  std::optional<Objective> objective{};      // in place of the one drawn, where there are two
  std::optional<bool> training{};            // drawn when empty
  bool memory_limits = true;                 // may draw limits, tight ones included
  bool constraints = true;                   // may draw pins, forbids, together, apart, groups
  bool unsupported = true;                   // may draw nodes that some devices cannot run
  bool overhead = true;                      // may draw a subgraph overhead (sequential)
};

// Half of the problems have small integer times, so that events tie; some nodes and transfers take
// no time. Every unit may use at least one device. The same Rng state gives the same problem.
Problem random_problem(Rng& rng, const RandomShape& shape = {});
// One in five gets a limit of one to three subgraphs.
Problem sometimes_limited(const Problem& problem, Rng& rng);

// A random device for each unit, among those that it may use. Apart sets are not looked at.
Placement random_placement(Rng& rng, const Problem& problem);
// A random topological order of all nodes.
std::vector<NodeId> random_order(Rng& rng, const Graph& graph);

}  // namespace berth::fixtures
