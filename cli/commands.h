// The verbs of the command line, one file each.
//
// Each function adds its verb to the application: its options, and what to do when it was chosen.
// main.cpp parses, then runs the action; the action returns the exit code:
//   0 done; 1 nothing feasible exists or was found (or a warning, under --strict);
//   2 the user's mistake (Error); 3 an internal error (any other exception).
#pragma once

#include <functional>

#include <CLI/CLI.hpp>

namespace berth {

using Action = std::function<int()>;

inline constexpr int kDone = 0;
inline constexpr int kNothingFeasible = 1;
inline constexpr int kUserError = 2;
inline constexpr int kInternalError = 3;

void add_import(CLI::App& app, Action& chosen);
void add_profile(CLI::App& app, Action& chosen);
void add_place(CLI::App& app, Action& chosen);
void add_simulate(CLI::App& app, Action& chosen);
void add_run(CLI::App& app, Action& chosen);
void add_compare(CLI::App& app, Action& chosen);
void add_zoo(CLI::App& app, Action& chosen);
void add_methods(CLI::App& app, Action& chosen);
void add_doctor(CLI::App& app, Action& chosen);

}  // namespace berth
