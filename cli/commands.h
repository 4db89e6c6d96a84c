// The verbs of the command line, one file each.
//
// Each function adds its verb to the application: its options, and what to do when it was chosen.
// main.cpp parses, then runs the action; the action returns the exit code:
//   0 done; 1 nothing feasible exists or was found (or a warning, under --strict);
//   2 the user's mistake (Error); 3 an internal error (any other exception).
#pragma once

#include <functional>
#include <memory>
#include <utility>

#include "cli/checks.h"

namespace berth {

using Action = std::function<int()>;

inline constexpr int kDone = 0;
inline constexpr int kNothingFeasible = 1;
inline constexpr int kUserError = 2;
inline constexpr int kInternalError = 3;

// A verb and its options, still at their defaults: `act` does what they ask for.
template <class Options>
std::pair<CLI::App&, Options&> add_verb(CLI::App& app, Action& chosen, const char* name,
                                        const char* meaning, int (*act)(const Options&)) {
  auto options = std::make_shared<Options>();
  CLI::App& verb = *app.add_subcommand(name, meaning);
  verb.callback([=, &chosen] { chosen = [=] { return act(*options); }; });
  return {verb, *options};
}

std::string version_text();  // "berth 0.1.0 (1a2b3c4)"

using AddVerb = void(CLI::App& app, Action& chosen);
AddVerb add_import, add_profile, add_place, add_simulate, add_run, add_compare, add_zoo,
    add_methods, add_doctor;

}  // namespace berth
