// Post at equal evaluations: beside either of its updates alone, `coloc-rl`, `random`, `anneal` and
// the heuristics, on the tasks of its paper (tasks.h).
//
//   bench_post [--table alone|seeded|ablation]... [--evaluations N]... [--seeds N] [--jobs N]
//              [--only TEXT]... [--input FILE]... [--results FILE] [--print]
//
//   alone     learning alone, without seeds: both updates, each alone, coloc-rl, random
//   seeded    from the heuristics: the same, annealing, the best heuristic, one device
//   ablation  one part of Post exchanged at a time; only when it is named
// --only keeps the tasks whose name contains one of the texts, --input adds a problem file as a
// task. With --results every run is kept in a file as it ends, and a study that was killed goes on;
// --print shows what is there and runs nothing. Short (default): 2 seeds, 2 400 evaluations, two
// GPUs, tied weights, a few minutes. Markdown on standard output.
//
// The paper reports up to 63.7 % less time per step than the state of the art for the same learning
// time, its largest reduction over tasks (abstract); no table of its times could be confirmed.

#include <algorithm>
#include <cstdio>
#include <exception>
#include <set>

#include <fmt/format.h>

#include "bench/post/tables.h"
#include "berth/base/error.h"
#include "berth/base/text.h"

namespace berth::bench {
namespace {

struct Arguments {
  std::set<std::string> tables;
  std::vector<std::uint64_t> evaluations;
  int seeds = 2, jobs = 1;
  std::vector<std::string> only, inputs;
  std::string results;
  bool print = false;
};

int positive(const std::string& option, const std::string& text) {
  const std::optional<int> number = number_in<int>(text);
  if (!number || *number < 1)
    throw Error(fmt::format("{} {}: expected a number from 1 on", option, text));
  return *number;
}

Arguments parse(int argc, char** argv) {
  Arguments arguments;
  const std::vector<std::string> words(argv + 1, argv + argc);
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string& option = words[i];
    if (option == "--print") {
      arguments.print = true;
      continue;
    }
    if (i + 1 == words.size()) throw Error(fmt::format("{}: expected a value after it", option));
    const std::string& value = words[++i];
    if (option == "--table")
      arguments.tables.insert(value);
    else if (option == "--evaluations")
      arguments.evaluations.push_back(static_cast<std::uint64_t>(positive(option, value)));
    else if (option == "--seeds")
      arguments.seeds = positive(option, value);
    else if (option == "--jobs")
      arguments.jobs = positive(option, value);
    else if (option == "--only")
      arguments.only.push_back(value);
    else if (option == "--input")
      arguments.inputs.push_back(value);
    else if (option == "--results")
      arguments.results = value;
    else
      throw Error(
          fmt::format("{}: unknown, expected --table, --evaluations, --seeds, --jobs, "
                      "--only, --input, --results or --print",
                      option));
  }
  if (arguments.tables.empty()) arguments.tables = {"alone", "seeded"};
  if (arguments.evaluations.empty()) arguments.evaluations = {2400};
  if (arguments.only.empty() && arguments.inputs.empty()) arguments.only = {"k80x2"};
  return arguments;
}

std::vector<PostTask> chosen_tasks(const Arguments& arguments) {
  std::vector<PostTask> tasks;
  for (PostTask& task : post_tasks())
    if (std::ranges::any_of(arguments.only, [&](const std::string& text) {
          return task.name().find(text) != std::string::npos;
        }))
      tasks.push_back(std::move(task));
  for (const std::string& file : arguments.inputs) tasks.push_back({file, file, "", false});
  if (tasks.empty()) throw Error("no task is left by --only");
  return tasks;
}

void run_all(Runs& runs, const std::vector<Competitor>& competitors, const Study& study,
             const Arguments& arguments) {
  if (arguments.print) return;
  for (const PostTask& task : study.tasks)
    run_missing(runs, task, runs_of(competitors, task, study), arguments.jobs);
}

int run(int argc, char** argv) {
  const Arguments arguments = parse(argc, argv);
  Runs runs(arguments.results);
  if (!knows_method("coloc-rl")) fmt::print("`coloc-rl` is not built: its column is left out.\n");
  Study study{.tasks = chosen_tasks(arguments), .seeds = arguments.seeds};
  for (const std::uint64_t evaluations : arguments.evaluations) {
    study.limit = evaluations;
    for (const auto& [name, comparison] : {std::pair("alone", learning_alone(evaluations)),
                                           std::pair("seeded", from_heuristics(evaluations))}) {
      if (!arguments.tables.contains(name)) continue;
      run_all(runs, comparison.columns, study, arguments);
      print_comparison(runs, comparison, study);
    }
    if (!arguments.tables.contains("ablation")) continue;
    const std::vector<Competitor> rows = ablation(evaluations);
    run_all(runs, rows, study, arguments);
    print_ablation(runs, rows, study);
  }
  return 0;
}

}  // namespace
}  // namespace berth::bench

int main(int argc, char** argv) {
  try {
    return berth::bench::run(argc, argv);
  } catch (const std::exception& error) {
    fmt::print(stderr, "bench_post: {}\n", error.what());
    return 2;
  }
}
