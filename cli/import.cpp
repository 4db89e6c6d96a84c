// berth import: a model or any problem file to berth's own format.

#include <memory>

#include <fmt/format.h>

#include "berth/io/files.h"
#include "berth/io/problem_json.h"
#include "berth/report/summary.h"
#include "cli/commands.h"
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
  Session session = open_input(options.input, input);
  const LoadedProblem loaded = load_problem(session, input);
  const std::string text = write_problem(loaded.problem);
  if (options.output == "-") {
    fmt::print("{}", text);
    for (const std::string& warning : loaded.warnings)
      fmt::print(stderr, "berth: warning: {}\n", warning);
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
  auto options = std::make_shared<ImportOptions>();
  CLI::App& verb =
      *app.add_subcommand("import", "a model or foreign problem file to berth's own format");
  verb.add_option(
          "INPUT", options->input,
          "model file, zoo:NAME, or a file of dnn-partitioning, moirai, pipedream or Doppler")
      ->required()
      ->type_name("");
  verb.add_option("-o,--output", options->output, "problem file to write; - for standard output")
      ->type_name("FILE")
      ->required();
  add_devices_option(verb, options->problem);
  verb.add_flag("--strict", options->strict, "exit 1 on any warning");
  add_input_options(verb, options->problem);
  verb.callback([options, &chosen] { chosen = [options] { return import_problem(*options); }; });
}

}  // namespace berth
