// Every method on one problem, all claims against all values and against brute force.
//
// A claim is a bound, a proof of optimality or a proof that nothing fits. It speaks of a set of
// placements, its scope: all of them, or contiguous splits only; in the call model without replicas
// unless the method looks for them. For every claim and every placement in its scope, by whomever:
//   bound <= value,    proven value <= value,    "nothing fits": there is no placement.
// Where placements (with their orders and replicas, where these matter) can be enumerated, the same
// against the optimum of brute force, so that what is proven is equal to it.
// Every placement is simulated three times: by simulate(), by the Evaluator and by the literal
// simulator of tests/support, whose own check of rules and limits must agree too.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "berth/place/run_placer.h"
#include "berth/problem.h"

namespace berth::audit {

inline constexpr double kTolerance = 3e-6;  // relative: what proofs may differ by (docs/formats.md)

struct Finding {
  std::string rule;  // "bound", "proof", "impossible", "value", "limit", "contradiction", "crash"
  std::string what;  // one sentence
};

struct Verdict {
  std::uint64_t values = 0, claims = 0, proofs = 0;
  bool enumerated = false;
  std::vector<Finding> findings;
  std::map<std::string, std::uint64_t> overrun;  // evaluations above the limit, by method
};

struct JudgeOptions {
  std::uint64_t evaluations = 2000;    // of each method
  std::uint64_t enumerations = 20000;  // most placements (times orders) of brute force
  std::uint64_t seed = 1;
};

// What a method said, with the spec that it was run by.
struct Statement {
  std::string spec;
  Result result;
};

// The specs to run: every registered method that needs no options and can be run in moments, with
// the settings that make it prove by every way it has.
std::vector<std::string> specs_for(const Problem& problem, std::uint64_t number);

std::vector<Statement> ask(const Problem& problem, std::span<const std::string> specs,
                           const JudgeOptions& options, Verdict& verdict);
void judge(const Problem& problem, std::span<const Statement> statements,
           const JudgeOptions& options, Verdict& verdict);
Verdict audit(const Problem& problem, std::span<const std::string> specs,
              const JudgeOptions& options);

}  // namespace berth::audit
