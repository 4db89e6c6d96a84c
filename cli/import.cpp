// berth import: a model or any problem file to berth's own format.

#include "berth/io/files.h"
#include "berth/io/problem_json.h"
#include "berth/report/summary.h"
#include "cli/input.h"
#include "cli/warnings.h"

namespace berth {
namespace {

struct ImportOptions {
  std::string input, output;
  InputOptions problem;
  bool strict = false;
};

int import_problem(const ImportOptions& options) {
  if (options.output != "-") check_writable(options.output);
  InputOptions input = options.problem;
  input.session.estimate = true;  // profile is the verb that measures
  const LoadedProblem loaded = load_input(options.input, input);
  const std::string text = write_problem(loaded.problem);
  if (options.output == "-") {
    fmt::print("{}", text);
    print_warnings_aside(loaded.warnings);
  } else {
    write_file_atomically(options.output, text);
    fmt::print("{}: {}\n", options.input, problem_text(loaded.problem));
    print_warnings(loaded.warnings);
    fmt::print("wrote {}\n", options.output);
  }
  return exit_code(true, options.strict, loaded.warnings);
}

}  // namespace

void add_import(CLI::App& app, Action& chosen) {
  const auto [verb, options] =
      add_verb(app, chosen, "import", "a model or foreign problem file to berth's own format",
               import_problem);
  argument(verb, "INPUT", options.input,
           "model file, zoo:NAME, or a file of dnn-partitioning, moirai, pipedream or Doppler");
  add_problem_output(verb, options.output);
  add_devices_option(verb, options.problem);
  verb.add_flag("--strict", options.strict, "exit 1 on any warning");
  add_input_options(verb, options.problem);
}

}  // namespace berth
