// berth run: a placement executed for real, next to every single device.

#include "berth/io/files.h"
#include "berth/report/run_report.h"
#include "cli/input.h"
#include "cli/progress.h"
#include "cli/warnings.h"

namespace berth {
namespace {

struct RunOptions {
  std::string input, placement, output;
  InputOptions problem;
  RunPlan plan;
  bool json = false, strict = false;
};

void print_runs(const RunComparison& runs) {
  for (std::size_t d = 0; d < runs.devices.size(); ++d)
    fmt::print("{}: {}, {} executed there\n", runs.devices[d].name, runs.devices[d].description,
               plural(runs.pieces_on[d], "piece"));
  fmt::print("\n{}\n{}", runs_text(runs), verdict_text(runs));
  const auto idle = std::count(runs.pieces_on.begin(), runs.pieces_on.end(), 0U);
  if (runs.devices.size() > 1 && idle + 1 >= std::ssize(runs.devices))
    fmt::print("the placement uses one device\n");
  if (runs.checked)
    fmt::print("check: outputs differ from {} by {:.1e} relative, allowed {:.0e}: {}\n",
               runs.rows[1].name, *runs.rows.front().output_error, runs.allowed_error,
               runs.passed() ? "passed" : "FAILED");
}

int run(const RunOptions& options) {
  if (!options.output.empty()) check_writable(options.output);
  Session session(options.input, options.problem.session);
  RunPlan plan = options.plan;
  plan.progress = step_line<int>("round");
  const RunComparison runs = session.run(session.read_placement(options.placement), plan);
  const std::string json = write_runs(runs, options.input, options.placement);
  if (!options.output.empty()) write_file_atomically(options.output, json);
  if (options.json) {
    fmt::print("{}", json);
  } else {
    print_runs(runs);
    print_warnings(runs.warnings);
    if (!options.output.empty()) fmt::print("\nwrote {}\n", options.output);
  }
  return exit_code(runs.passed(), options.strict, runs.warnings);
}

}  // namespace

void add_run(CLI::App& app, Action& chosen) {
  const auto [verb, options] =
      add_verb(app, chosen, "run", "execute a placement, next to every single device", run);
  argument(verb, "MODEL", options.input, kAnyModel);
  argument(verb, "PLACEMENT", options.placement, "file that place wrote, or {node: device}");
  add_devices_option(verb, options.problem);
  verb.add_flag("--check", options.plan.check,
                "compare outputs with one device; exit 1 if they differ");
  option(verb, "--rounds", options.plan.rounds, "of measuring everything in turn", "N",
         integer_from(1, 10'000))
      .capture_default_str();
  add_precision_option(verb, options.problem);
  add_model_options(verb, options.problem);
  // Hidden: it is there to be refused with a reason (session.h).
  verb.add_flag("--untied", options.problem.session.untied)->group("");
  option(verb, "-o,--output", options.output, "write the measurements", "FILE");
  verb.add_flag("--strict", options.strict, "exit 1 on any warning");
  verb.add_flag("--json", options.json, "print one JSON object");
}

}  // namespace berth
