// berth place: searches for a placement, prints what it costs, and writes it.

#include "berth/base/fail.h"
#include "berth/io/files.h"
#include "berth/place/registry.h"
#include "berth/report/result_json.h"
#include "berth/report/summary.h"
#include "berth/runtime/runtime.h"
#include "berth/search/bounds.h"
#include "cli/input.h"
#include "cli/interrupt.h"
#include "cli/progress.h"
#include "cli/warnings.h"

namespace berth {
namespace {

// What --dry-run spends when no limit is given: an answer while the user waits.
constexpr double kDryRunSeconds = 0.5;

struct PlaceOptions {
  std::string input, output, export_folder, method = "auto";
  InputOptions problem;
  std::optional<double> time_limit;
  std::optional<std::uint64_t> evaluations;
  std::uint64_t seed = 1;
  bool strict = false, dry_run = false, json = false;
};

Result search(const PlaceOptions& options, Session& session, const Problem& problem) {
  Budget::Limits limits{options.time_limit, options.evaluations};
  if (options.dry_run && !limits.seconds && !limits.evaluations) limits.seconds = kDryRunSeconds;
  const Interrupt interrupt;
  ProgressLine line(parse_spec(options.method).name);
  if (line.visible()) line.set_bound(lower_bound(problem).value);
  Budget budget(limits, interrupt.flag(), line.callback());
  budget.set_meter(session.meter(problem));
  Result result = run_placer(options.method, problem, options.seed, budget);
  if (interrupt.raised())
    result.warnings.push_back(result.placement ? "interrupted: this is the best placement so far"
                                               : "interrupted before a placement was found");
  return result;
}

std::string result_table(const Result& result) {
  Table table({"method", right("value"), right("bound"), right("gap"), right("seconds"),
               right("evaluations")});
  table.add_row({result.spec, result.simulation ? time_text(result.simulation->value) : "-",
                 result.lower_bound ? time_text(*result.lower_bound) : "-", gap_text(result),
                 seconds_text(result.seconds), count_text(result.evaluations)});
  return table.text();
}

void print_result(const PlaceOptions& options, const Problem& problem, const Result& result) {
  fmt::print("{}: {}\n\n{}\n", options.input, problem_text(problem), result_table(result));
  if (!result.placement) return fmt::print("no placement: {}\n", result.reason);
  fmt::print("{}\n{}{}", devices_text(problem, *result.placement, *result.simulation),
             bottleneck_text(problem, *result.simulation),
             crossings_text(problem, *result.placement, *result.simulation, 0));
  if (result.measured)
    fmt::print("{} in real runs, chosen by {}\n", time_text(*result.measured),
               plural(result.measurements, "measurement"));
}

void check_export(const PlaceOptions& options) {
  if (options.export_folder.empty()) return;
  if (!is_model(options.input))
    fail("--export {}: {} is not a model, expected a model file or zoo:NAME", options.export_folder,
         options.input);
  if (options.problem.session.training)
    fail("--export {}: the backward pass of --training has no model to cut", options.export_folder);
  if (options.problem.session.untied)
    fail("--export {}: the weights of --untied are no parts of a model", options.export_folder);
}

int place(const PlaceOptions& options) {
  find_placer(parse_spec(options.method).name).canonical(parse_spec(options.method));
  if (!options.output.empty() && !options.dry_run) check_writable(options.output);
  check_export(options);
  InputOptions input = options.problem;
  input.session.estimate = options.dry_run;
  Session session = open_input(options.input, input);
  const LoadedProblem loaded = finish_problem(session.problem(), input);
  Result result = search(options, session, loaded.problem);
  result.warnings.insert(result.warnings.begin(), loaded.warnings.begin(), loaded.warnings.end());
  if (result.placement)
    add_new(result.warnings, placement_warnings(loaded.problem, *result.placement));
  const bool write = !options.output.empty() && !options.dry_run && result.placement;
  if (!options.output.empty() && !write)
    result.warnings.push_back(fmt::format("{} is not written: {}", options.output,
                                          options.dry_run ? "--dry-run" : "there is no placement"));

  if (write)
    write_file_atomically(options.output, write_result(result, loaded.problem, options.input));
  std::optional<ExportedFiles> exported;
  if (!options.export_folder.empty() && !options.dry_run && result.placement)
    exported = session.export_pieces(loaded.problem, *result.placement, options.export_folder);
  if (options.json) {
    fmt::print("{}", write_result(result, loaded.problem, options.input));
  } else {
    print_result(options, loaded.problem, result);
    print_warnings(result.warnings);
    if (write) fmt::print("\nwrote {}\n", options.output);
    if (exported)
      fmt::print("wrote {} of {} with their wiring to {}\n", plural(exported->pieces, "piece"),
                 bytes_text(exported->size), options.export_folder);
  }
  if (report_contradictions(result.contradictions)) return kInternalError;
  return exit_code(result.placement.has_value(), options.strict, result.warnings);
}

}  // namespace

void add_place(CLI::App& app, Action& chosen) {
  const auto [verb, options] =
      add_verb(app, chosen, "place", "search for the best device of each node", place);
  argument(verb, "INPUT", options.input, kAnyInput);
  option(verb, "-m,--method", options.method, "name(key=value,...), see berth methods", "SPEC")
      .capture_default_str();
  add_devices_option(verb, options.problem);
  option(verb, "--time-limit", options.time_limit, "stop after this many seconds", "S",
         number_from(0, true));
  option(verb, "--evaluations", options.evaluations, "stop after this many simulated placements",
         "N", integer_from(1));
  option(verb, "--seed", options.seed, "of all randomness; same seed, same placement", "N",
         integer_from(0))
      .capture_default_str();
  option(verb, "-o,--output", options.output, "write the placement and its record", "FILE");
  option(verb, "--export", options.export_folder,
         "models: write the sub-model of each piece, and how they are wired", "DIR");
  verb.add_flag("--dry-run", options.dry_run, "does it fit, and how fast? Brief, writes nothing");
  verb.add_flag("--strict", options.strict, "exit 1 on any warning");
  verb.add_flag("--json", options.json, "print one JSON object");
  add_input_options(verb, options.problem);
}

}  // namespace berth
