// What is known of a method before it runs: which problems it answers, which it may prove, where it
// is a good start for others, and how its work grows. Seeds and `auto` choose by this, not by name.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "berth/modules/module.h"
#include "berth/problem.h"

namespace berth {

// Kinds of problems, by execution model, objective and which splits count; a set of them is a sum.
using ProblemKinds = std::uint32_t;
inline constexpr ProblemKinds kConcurrentRuns = 1;
inline constexpr ProblemKinds kSequentialRuns = 2;
inline constexpr ProblemKinds kCallRuns = 4;
inline constexpr ProblemKinds kPieceRuns = 8;  // the latency of execution in pieces
inline constexpr ProblemKinds kCallLoads = 16;
inline constexpr ProblemKinds kContiguousCallLoads = 32;
inline constexpr ProblemKinds kPipelineLoads = 64;
inline constexpr ProblemKinds kContiguousPipelineLoads = 128;
inline constexpr ProblemKinds kPieceLoads = 256;
inline constexpr ProblemKinds kContiguousPieceLoads = 512;

inline constexpr ProblemKinds kAnyLatency = kConcurrentRuns + kCallRuns + kPieceRuns;
inline constexpr ProblemKinds kAnyMaxLoad =
    kCallLoads + kContiguousCallLoads + kPipelineLoads + kContiguousPipelineLoads;
inline constexpr ProblemKinds kContiguousLoads =
    kContiguousCallLoads + kContiguousPipelineLoads + kContiguousPieceLoads;
inline constexpr ProblemKinds kFreeLoads = kCallLoads + kPipelineLoads + kPieceLoads;
inline constexpr ProblemKinds kAnyLoad = kFreeLoads + kContiguousLoads;
inline constexpr ProblemKinds kAnything = kAnyLatency + kSequentialRuns + kAnyLoad;

ProblemKinds kind_of(const ExecutionModel& model);
inline bool is_of_kind(const Problem& problem, ProblemKinds kinds) {
  return (kinds & kind_of(problem.model())) != 0;
}

enum class Growth : std::uint8_t {
  kNearLinear,  // in nodes and edges: for graphs of any size
  kSteep,       // faster than that
  kBudget,      // as long as it may
  kTraining,    // the same, and a moment even on the smallest problem: it learns
};

struct Traits {
  ProblemKinds serves = kAnything;  // answers; nothing else reaches it (make_method)
  ProblemKinds seeds = 0;           // is worth starting a search from, whatever the size
  ProblemKinds small_seeds = 0;     // the same, on graphs of some thousand nodes
  ProblemKinds proves = 0;          // can prove the optimum
  Growth growth = Growth::kNearLinear;
  std::optional<ModuleKind> needs{};  // the third party without which it has no answer
  bool needs_options = false;         // cannot run by its name alone; tables of all leave it out
};

// What the method serves and the problem is not, in one sentence; empty where it serves it.
std::optional<std::string> why_not_served(const char* method, const Traits& traits,
                                          const Problem& problem);
// Whether a search on this problem should start from such a method.
bool is_seed(const Traits& traits, const Problem& problem);

}  // namespace berth
