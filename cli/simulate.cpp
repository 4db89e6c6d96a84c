// berth simulate: what a given placement costs, and why.

#include "berth/io/files.h"
#include "berth/io/placement_json.h"
#include "berth/report/dot.h"
#include "berth/report/result_json.h"
#include "berth/report/summary.h"
#include "berth/report/trace.h"
#include "cli/input.h"
#include "cli/warnings.h"

namespace berth {
namespace {

struct SimulateOptions {
  std::string input, placement, node, trace, dot;
  InputOptions problem;
  bool memory = false, strict = false, json = false;
};

void print_simulation(const SimulateOptions& options, const Problem& problem,
                      const Placement& placement, const Simulation& simulation,
                      const std::optional<Explanation>& explanation) {
  const bool runs = simulation.value < kForever;
  fmt::print("{}: {}\n\n", options.input, problem_text(problem));
  if (runs) fmt::print("value {}\n", time_text(simulation.value));
  if (simulation.broken) fmt::print("not feasible: {}\n", *simulation.broken);
  if (runs)
    fmt::print("\n{}\n{}{}", devices_text(problem, placement, simulation),
               bottleneck_text(problem, simulation),
               crossings_text(problem, placement, simulation, explanation ? 0 : kWorstCrossings));
  if (runs && options.memory) fmt::print("\n{}", memory_text(problem, simulation));
  if (explanation) fmt::print("\n{}", explanation_text(problem, *explanation));
}

int simulate_placement(const SimulateOptions& options) {
  if (!options.trace.empty()) check_writable(options.trace);
  if (!options.dot.empty()) check_writable(options.dot);
  const LoadedProblem loaded = load_input(options.input, options.problem);
  const Problem& problem = loaded.problem;
  const Placement placement = read_placement(options.placement, problem);
  std::optional<NodeId> node;
  if (!options.node.empty()) node = find_node(problem.graph(), options.node);

  const Simulation simulation = simulate(problem, placement);
  std::optional<Explanation> explanation;
  if (node) explanation = explain(problem, placement, simulation, *node);
  std::vector<std::string> warnings = loaded.warnings;
  add_new(warnings, placement_warnings(problem, placement));

  if (!options.trace.empty())
    write_file_atomically(options.trace, write_trace(problem, simulation.schedule));
  if (!options.dot.empty()) write_file_atomically(options.dot, write_dot(problem, placement));
  if (options.json) {
    fmt::print("{}", write_simulation(options.input, problem, placement, simulation, explanation,
                                      warnings));
  } else {
    print_simulation(options, problem, placement, simulation, explanation);
    print_warnings(warnings);
    if (!options.trace.empty())
      fmt::print("\nwrote {}; open it in ui.perfetto.dev or chrome://tracing\n", options.trace);
    if (!options.dot.empty()) fmt::print("\nwrote {}; dot -Tsvg draws it\n", options.dot);
  }
  return exit_code(simulation.feasible(), options.strict, warnings);
}

}  // namespace

void add_simulate(CLI::App& app, Action& chosen) {
  const auto [verb, options] = add_verb(
      app, chosen, "simulate", "what a given placement costs, and why", simulate_placement);
  argument(verb, "INPUT", options.input, kAnyInput);
  argument(verb, "PLACEMENT", options.placement,
           "what place -o wrote, {\"node\": \"device\"}, or a split");
  option(verb, "--explain", options.node, "why this node is where it is", "NODE");
  option(verb, "--trace", options.trace, "write a timeline for Perfetto", "FILE");
  option(verb, "--dot", options.dot, "write the graph, coloured by device, for Graphviz", "FILE");
  verb.add_flag("--memory", options.memory, "what fills each device at its peak, and when");
  add_devices_option(verb, options.problem);
  verb.add_flag("--strict", options.strict, "exit 1 on any warning");
  verb.add_flag("--json", options.json, "print one JSON object");
  add_input_options(verb, options.problem);
}

}  // namespace berth
