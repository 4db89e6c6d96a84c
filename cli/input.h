// The input of a verb: a problem file, a model file or a network of the zoo, with what the command
// line asks of it.
#pragma once

#include "berth/io/problem_options.h"
#include "berth/runtime/session.h"
#include "cli/execution_options.h"

namespace berth {

// berth/measurements in the user's cache directory ($XDG_CACHE_HOME, else ~/.cache); empty, which
// keeps nothing, where there is neither.
std::filesystem::path measurement_file();

struct InputOptions {
  SessionOptions session{.measurements = measurement_file()};
  std::string optimizer;  // by its word
  ProblemOptions changes;
  ExecutionOptions execution;
};

inline constexpr const char* kAnyInput =
    "problem file, model file, zoo:NAME, or - for standard input";
inline constexpr const char* kAnyModel = "model file, or zoo:NAME(key=value,...)";
void add_devices_option(CLI::App& verb, InputOptions& options);
void add_model_options(CLI::App& verb, InputOptions& options, const std::string& scope = "");
void add_problem_output(CLI::App& verb, std::string& output);
void add_precision_option(CLI::App& verb, InputOptions& options);
// Everything but the name of the input itself and --devices, which compare reads otherwise.
void add_input_options(CLI::App& verb, InputOptions& options);

// For verbs that take a problem: reads standard input where the input is "-".
Session open_input(const std::string& input, const InputOptions& options);
LoadedProblem load_input(const std::string& input, const InputOptions& options);

// The rest of what the options ask of a problem: its own changes, and the execution model.
LoadedProblem finish_problem(LoadedProblem loaded, const InputOptions& options);

// Throws Error when a file could not be written there, before a long search rather than after it.
void check_writable(const std::string& path);

}  // namespace berth
