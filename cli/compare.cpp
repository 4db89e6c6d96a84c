// berth compare: one row per method and input.

#include <algorithm>
#include <memory>
#include <optional>

#include <fmt/format.h>

#include "berth/base/error.h"
#include "berth/io/files.h"
#include "berth/place/registry.h"
#include "berth/place/run_placer.h"
#include "berth/report/comparison.h"
#include "berth/report/result_json.h"
#include "berth/report/summary.h"
#include "cli/checks.h"
#include "cli/commands.h"
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
  std::vector<std::size_t> case_of_row;
  std::vector<std::string> warnings;
};

// Mistakes in a spec are found before anything runs.
std::vector<std::string> chosen_methods(const CompareOptions& options) {
  std::vector<std::string> specs;
  if (options.methods.empty())
    for (const PlacerEntry& entry : placers()) {
      if (!entry.traits.needs_options) specs.emplace_back(entry.name);
    }
  else
    specs = split_specs(options.methods);
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
      Session session = open_input(input, choice);
      LoadedProblem loaded = load_problem(session, choice);
      add_new(comparison.warnings, loaded.warnings);
      comparison.cases.push_back(
          {clusters.size() > 1 ? fmt::format("{} on {}", input, cluster) : input, loaded.problem});
    }
  return comparison;
}

// A method that refuses a problem is a row that says so.
Result run_row(const CompareOptions& options, const std::string& spec, const Case& one,
               const Interrupt& interrupt) {
  ProgressLine line(fmt::format("{} {}", one.problem.name(), spec));
  Budget budget({options.time_limit, options.evaluations}, interrupt.flag(), line.callback());
  try {
    return run_placer(spec, one.problem, options.seed, budget);
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
  const std::size_t total = comparison.cases.size() * methods.size();
  for (std::size_t at = 0; at < comparison.cases.size(); ++at)
    for (const std::string& spec : methods) {
      if (interrupt.raised()) continue;
      comparison.rows.push_back(
          {comparison.cases[at].name, run_row(options, spec, comparison.cases[at], interrupt)});
      comparison.case_of_row.push_back(at);
    }
  if (interrupt.raised())
    comparison.warnings.push_back(fmt::format("interrupted: {} of {} rows, the last cut short",
                                              comparison.rows.size(), total));
  return comparison;
}

std::string as_json(const Comparison& comparison, bool with_placements) {
  std::vector<ResultRow> rows;
  for (std::size_t i = 0; i < comparison.rows.size(); ++i)
    rows.push_back({.result = &comparison.rows[i].result,
                    .problem = &comparison.cases[comparison.case_of_row[i]].problem,
                    .input = comparison.rows[i].input});
  return write_rows(rows, with_placements);
}

// Without --methods everything is tried, and what does not apply is a line below the table.
void print_text(const CompareOptions& options, const Comparison& comparison) {
  for (const Case& one : comparison.cases)
    fmt::print("{}: {}\n", one.name, problem_text(one.problem));
  std::vector<ComparisonRow> shown = comparison.rows;
  const bool any_placement = std::any_of(
      shown.begin(), shown.end(), [](const auto& row) { return row.result.placement.has_value(); });
  if (options.methods.empty() && any_placement)
    std::erase_if(shown, [](const ComparisonRow& row) { return !row.result.placement; });
  fmt::print("\n{}", comparison_text(shown));
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
    write_file_atomically(options.output, as_json(comparison, options.placements));

  if (options.json) {
    fmt::print("{}", as_json(comparison, options.placements));
  } else if (options.csv) {
    fmt::print("{}", comparison_csv(comparison.rows));
  } else if (options.markdown) {
    fmt::print("{}", comparison_markdown(comparison.rows));
  } else {
    print_text(options, comparison);
    print_warnings(comparison.warnings);
    if (!options.output.empty()) fmt::print("\nwrote {}\n", options.output);
  }
  if (options.json || options.csv || options.markdown)  // their standard output has no place for it
    for (const std::string& warning : comparison.warnings)
      fmt::print(stderr, "berth: warning: {}\n", warning);
  bool contradicted = false;
  for (const ComparisonRow& row : comparison.rows)
    contradicted |= report_contradictions(row.result.contradictions);
  if (contradicted) return kInternalError;
  const bool feasible =
      std::any_of(comparison.rows.begin(), comparison.rows.end(),
                  [](const auto& row) { return row.result.placement.has_value(); });
  return exit_code(feasible, options.strict, comparison.warnings);
}

}  // namespace

void add_compare(CLI::App& app, Action& chosen) {
  auto options = std::make_shared<CompareOptions>();
  CLI::App& verb =
      *app.add_subcommand("compare", "several methods on several inputs, one row each");
  verb.add_option("INPUT", options->inputs, "problem files, model files, zoo:NAME")
      ->required()
      ->type_name("");
  verb.add_option("-m,--methods", options->methods, "SPEC,SPEC,... (default: every method)")
      ->type_name("SPECS");
  verb.add_option("--devices", options->devices, "what if: one or several clusters, D,D,...")
      ->type_name("D");
  verb.add_option("--time-limit", options->time_limit, "seconds per row")
      ->check(number_from(0, true))
      ->type_name("S");
  verb.add_option("--evaluations", options->evaluations, "simulated placements per row")
      ->check(integer_from(1))
      ->type_name("N");
  verb.add_option("--seed", options->seed, "of all randomness")
      ->check(integer_from(0))
      ->type_name("N")
      ->capture_default_str();
  verb.add_option("-o,--output", options->output, "write the rows as JSON to this file")
      ->type_name("FILE");
  verb.add_flag("--csv", options->csv, "print CSV");
  verb.add_flag("--markdown", options->markdown, "print a Markdown table");
  verb.add_flag("--json", options->json, "print one JSON object");
  verb.add_flag("--placements", options->placements, "keep the placements in the JSON rows");
  verb.add_flag("--strict", options->strict, "exit 1 on any warning");
  add_input_options(verb, options->problem);
  verb.callback([options, &chosen] { chosen = [options] { return compare(*options); }; });
}

}  // namespace berth
