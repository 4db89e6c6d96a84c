// What a user should know although nothing failed: shown to people, or fatal under --strict.
#pragma once

#include <algorithm>

#include "berth/search/outcome.h"
#include "cli/commands.h"

namespace berth {

// Adds those that are not there yet.
inline void add_new(std::vector<std::string>& warnings, const std::vector<std::string>& more) {
  for (const std::string& warning : more)
    if (std::find(warnings.begin(), warnings.end(), warning) == warnings.end())
      warnings.push_back(warning);
}

// On standard output, where the result is: whoever keeps the table keeps its warnings.
inline void print_warnings(const std::vector<std::string>& warnings) {
  if (!warnings.empty()) fmt::print("\n");
  for (const std::string& warning : warnings) fmt::print("warning: {}\n", warning);
}

// On standard error, for output that has no place for them.
inline void print_warnings_aside(const std::vector<std::string>& warnings) {
  for (const std::string& warning : warnings) fmt::print(stderr, "berth: warning: {}\n", warning);
}

// Claims that what was found refutes: a defect of berth, told on standard error, never hidden.
inline bool report_contradictions(const std::vector<Contradiction>& contradictions) {
  for (const Contradiction& one : contradictions)
    fmt::print(stderr, "berth: internal error: {}\n", one.what);
  return !contradictions.empty();
}

inline int exit_code(bool feasible, bool strict, const std::vector<std::string>& warnings) {
  return feasible && !(strict && !warnings.empty()) ? kDone : kNothingFeasible;
}

}  // namespace berth
