// berth compare: one row per method and input.

#include "berth/base/error.h"
#include "berth/io/files.h"
#include "berth/place/registry.h"
#include "berth/report/result_json.h"
#include "berth/report/summary.h"
#include "cli/input.h"
#include "cli/interrupt.h"
#include "cli/progress.h"
#include "cli/warnings.h"

namespace berth {
namespace {

struct CompareOptions {
  std::vector<std::string> inputs;
  std::string methods, devices, output;
  InputOptions problem;
  std::optional<double> time_limit;
  std::optional<std::uint64_t> evaluations;
  std::uint64_t seed = 1;
  bool strict = false, json = false, csv = false, markdown = false, placements = false;
};

// One input on one choice of devices.
struct Case {
  std::string name;
  Problem problem;
};

struct Comparison {
  std::vector<Case> cases;
  std::vector<ComparisonRow> rows;
  std::vector<std::string> warnings;
};

// Mistakes in a spec are found before anything runs.
std::vector<std::string> chosen_methods(const CompareOptions& options) {
  std::vector<std::string> specs;
  if (!options.methods.empty()) specs = split_specs(options.methods);
  for (const PlacerEntry& entry : placers())
    if (options.methods.empty() && !entry.traits.needs_options) specs.emplace_back(entry.name);
  for (const std::string& spec : specs)
    find_placer(parse_spec(spec).name).canonical(parse_spec(spec));
  return specs;
}

Comparison load_cases(const CompareOptions& options) {
  Comparison comparison;
  std::vector<std::string> clusters{""};
  if (!options.devices.empty()) clusters = split_specs(options.devices);
  for (const std::string& input : options.inputs)
    for (const std::string& cluster : clusters) {
      InputOptions choice = options.problem;
      choice.session.devices = cluster;
      const LoadedProblem loaded = load_input(input, choice);
      add_new(comparison.warnings, loaded.warnings);
      comparison.cases.push_back(
          {clusters.size() > 1 ? fmt::format("{} on {}", input, cluster) : input, loaded.problem});
    }
  return comparison;
}

// A method that refuses a problem is a row that says so.
Result run_row(const CompareOptions& options, const std::string& spec, const Problem& problem,
               const Interrupt& interrupt) {
  ProgressLine line(fmt::format("{} {}", problem.name(), spec));
  Budget budget({options.time_limit, options.evaluations}, interrupt.flag(), line.callback());
  try {
    return run_placer(spec, problem, options.seed, budget);
  } catch (const Error& error) {
    Result refused;
    refused.method = parse_spec(spec).name;
    refused.spec = find_placer(refused.method).canonical(parse_spec(spec));
    refused.reason = error.what();
    refused.seconds = budget.elapsed();
    refused.seed = options.seed;
    return refused;
  }
}

Comparison run_all(const CompareOptions& options) {
  const std::vector<std::string> methods = chosen_methods(options);
  Comparison comparison = load_cases(options);
  const Interrupt interrupt;
  for (const auto& [name, problem] : comparison.cases)
    for (const std::string& spec : methods)
      if (!interrupt.raised())
        comparison.rows.push_back({name, problem, run_row(options, spec, problem, interrupt)});
  if (interrupt.raised())
    comparison.warnings.push_back(fmt::format("interrupted: {} of {} rows, the last cut short",
                                              comparison.rows.size(),
                                              comparison.cases.size() * methods.size()));
  return comparison;
}

bool any_placement(const Comparison& comparison) {
  return std::ranges::any_of(
      comparison.rows, [](const ComparisonRow& row) { return row.result.placement.has_value(); });
}

// Without --methods everything is tried, and what does not apply is a line below the table.
void print_text(const CompareOptions& options, const Comparison& comparison) {
  for (const Case& one : comparison.cases)
    fmt::print("{}: {}\n", one.name, problem_text(one.problem));
  std::vector<ComparisonRow> shown = comparison.rows;
  if (options.methods.empty() && any_placement(comparison))
    std::erase_if(shown, [](const ComparisonRow& row) { return !row.result.placement; });
  fmt::print("\n{}", comparison_table(shown).text());
  if (shown.size() == comparison.rows.size()) return;
  fmt::print("\nwithout a placement:\n");
  for (const ComparisonRow& row : comparison.rows)
    if (!row.result.placement)
      fmt::print("  {}{}: {}\n", comparison.cases.size() > 1 ? row.input + ", " : "",
                 row.result.method, row.result.reason);
}

int compare(const CompareOptions& options) {
  if (options.json + options.csv + options.markdown > 1)
    throw Error("--json, --csv and --markdown: expected at most one of them");
  if (!options.output.empty()) check_writable(options.output);
  const Comparison comparison = run_all(options);
  if (!options.output.empty())
    write_file_atomically(options.output, write_rows(comparison.rows, options.placements));

  if (options.json || options.csv || options.markdown) {
    fmt::print("{}", options.json  ? write_rows(comparison.rows, options.placements)
                     : options.csv ? comparison_csv(comparison.rows)
                                   : comparison_table(comparison.rows).markdown());
    print_warnings_aside(comparison.warnings);
  } else {
    print_text(options, comparison);
    print_warnings(comparison.warnings);
    if (!options.output.empty()) fmt::print("\nwrote {}\n", options.output);
  }
  bool contradicted = false;
  for (const ComparisonRow& row : comparison.rows)
    contradicted |= report_contradictions(row.result.contradictions);
  if (contradicted) return kInternalError;
  return exit_code(any_placement(comparison), options.strict, comparison.warnings);
}

}  // namespace

void add_compare(CLI::App& app, Action& chosen) {
  const auto [verb, options] =
      add_verb(app, chosen, "compare", "several methods on several inputs, one row each", compare);
  argument(verb, "INPUT", options.inputs, "problem files, model files, zoo:NAME");
  option(verb, "-m,--methods", options.methods, "SPEC,SPEC,... (default: every method)", "SPECS");
  option(verb, "--devices", options.devices, "what if: one or several clusters, D,D,...", "D");
  option(verb, "--time-limit", options.time_limit, "seconds per row", "S", number_from(0, true));
  option(verb, "--evaluations", options.evaluations, "simulated placements per row", "N",
         integer_from(1));
  option(verb, "--seed", options.seed, "of all randomness", "N", integer_from(0))
      .capture_default_str();
  option(verb, "-o,--output", options.output, "write the rows as JSON to this file", "FILE");
  verb.add_flag("--csv", options.csv, "print CSV");
  verb.add_flag("--markdown", options.markdown, "print a Markdown table");
  verb.add_flag("--json", options.json, "print one JSON object");
  verb.add_flag("--placements", options.placements, "keep the placements in the JSON rows");
  verb.add_flag("--strict", options.strict, "exit 1 on any warning");
  add_input_options(verb, options.problem);
}

}  // namespace berth
