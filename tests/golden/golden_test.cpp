// Recorded outcomes: one text file per problem and placer spec, beside this file.
//
// A difference is either a mistake or a change that somebody means: run the tests with
// BERTH_UPDATE_GOLDEN=1, read the diff, and say in the change's description why it is not empty.
// Budgets count evaluations, so the records hold on every machine; and only methods whose outcome
// does not depend on what else the build has: anneal from named seeds, and no auto.

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "berth/io/read_problem.h"
#include "berth/place/run_placer.h"
#include "tests/support/fixtures.h"
#include "tests/support/shared_data.h"

using namespace berth;

namespace {

const std::filesystem::path kFolder = "tests/golden";  // tests run in the root of the source tree

std::string text_of(std::optional<Duration> time) {
  return time ? fmt::format("{:.9g}", time->count()) : std::string("none");
}

// What is recorded: no times of day, no seconds spent. One line per node, so that a diff reads
// well.
std::string record(const Problem& problem, const Result& result) {
  std::string text =
      fmt::format("problem {}\nspec {}\nseed {}\n", problem.name(), result.spec, result.seed);
  std::optional<Duration> value;
  if (result.simulation) value = result.simulation->value;
  text += fmt::format("value_us {}\nlower_bound_us {}\nproven_optimal {}\nevaluations {}\n",
                      text_of(value), text_of(result.lower_bound), result.proven_optimal,
                      result.evaluations);
  for (const std::string& warning : result.warnings) text += fmt::format("warning {}\n", warning);
  if (!result.placement) return text + fmt::format("reason {}\n", result.reason);
  for (const NodeId node : problem.graph().nodes())
    text += fmt::format("{} {}\n", problem.graph().node(node).name,
                        problem.cluster().device(result.placement->device_of[node]).name);
  if (result.placement->order.empty()) return text;
  text += "order";
  for (const NodeId node : result.placement->order) text += fmt::format(" {}", index(node));
  return text + "\n";
}

std::string read_all(const std::filesystem::path& path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

// Brackets and commas of a spec are kept out of the file name.
std::string file_name(const std::string& problem, const std::string& spec) {
  std::string name = problem + "." + spec + ".txt";
  for (char& c : name)
    if (c == '(' || c == ')' || c == ',' || c == '/') c = '_';
  return name;
}

void check_record(const std::string& name, const Problem& problem, const std::string& spec) {
  CAPTURE(name);
  CAPTURE(spec);
  Budget budget({.seconds = std::nullopt, .evaluations = 300});
  const std::string now = record(problem, run_placer(spec, problem, 1, budget));
  const std::filesystem::path path = kFolder / file_name(name, spec);
  if (std::getenv("BERTH_UPDATE_GOLDEN") != nullptr) {
    std::ofstream(path) << now;
    return;
  }
  REQUIRE_MESSAGE(std::filesystem::exists(path),
                  "no record; BERTH_UPDATE_GOLDEN=1 writes it: " << path.string());
  CHECK(now == read_all(path));
}

}  // namespace

TEST_CASE("outcomes on small problems are as recorded") {
  for (const char* problem :
       {"fork-join", "tight-memory", "nothing-fits", "apart", "colocation-across-passes",
        "sequential-overhead", "call-latency", "call-training-gpipe", "pipeline-gpipe"})
    for (const char* spec : {"single-device", "random(samples=20)", "heft", "etf", "greedy",
                             "local-search", "anneal(seeds=single-device+greedy)"})
      check_record(problem, fixtures::small_problem(problem), spec);
}

TEST_CASE("outcomes on published problems are as recorded") {
  struct Input {
    const char* name;
    const char* path;
    ExecutionModel model;
  };
  for (const Input& input :
       {Input{"moirai-example-1", "moirai/example-1.json", Concurrent{}},
        Input{"moirai-googlenet", "moirai/GoogLeNet.json", Concurrent{}},
        Input{"gnmt-throughput",
              "dnn-partitioning/throughput-inputs/LayerGraphs/gnmt_inference.json",
              MaxLoad{.route = Route::kHost}},
        Input{"bert24-latency", "dnn-partitioning/latency-inputs/LayerGraphs/bert24_inference.json",
              CallLatency{}}}) {
    const auto path = shared_data(input.path);
    if (!path) continue;
    ReadOptions options;
    options.ignore_memory = true;  // the published values of moirai are without limits
    const Problem problem = read_problem(*path, options).with_model(input.model);
    for (const char* spec : {"single-device", "heft", "greedy", "local-search"})
      check_record(input.name, problem, spec);
  }
}
