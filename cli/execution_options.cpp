#include "cli/execution_options.h"

#include "berth/base/fail.h"
#include "berth/base/listed.h"
#include "cli/checks.h"

namespace berth {
namespace {

// The two words that are asked for. One alone brings the other: execution its own objective where
// it has one only, throughput a pipeline where devices work concurrently, and the other way round.
ExecutionWords words_for(const Problem& problem, const ExecutionOptions& options) {
  ExecutionWords words = words_of(problem.model());
  words.objective = enum_value<Objective>(options.objective).value_or(words.objective);
  for (const NamedExecution& named : named_executions())
    if (options.execution == named.words.execution) words.execution = named.words.execution;
  const std::string_view execution = words.execution;
  if (options.objective.empty() && execution == "pipeline")
    words.objective = Objective::kThroughput;
  if (options.objective.empty() && execution == "concurrent") words.objective = Objective::kLatency;
  if (!options.execution.empty()) return words;
  if (execution == "concurrent" && words.objective == Objective::kThroughput)
    words.execution = "pipeline";
  if (execution == "pipeline" && words.objective == Objective::kLatency)
    words.execution = "concurrent";
  return words;
}

// The executions with this objective whose model has the field.
template <class Value>
std::string executions_with(Objective objective, const char* name, const Value& value) {
  std::vector<std::string> executions;
  for (const NamedExecution& named : named_executions()) {
    Execution model = named.model;
    if (named.words.objective == objective && set_field(model, name, value))
      executions.emplace_back(named.words.execution);
  }
  return listed_or(executions);
}

// Sets a field of the model, or says where it would mean something.
template <class Value>
void set(ExecutionModel& model, const char* option, const char* name, const Value& value) {
  if (set_field(model.execution, name, value)) return;
  const std::string latency = executions_with(Objective::kLatency, name, value);
  const std::string throughput = executions_with(Objective::kThroughput, name, value);
  std::vector<std::string> where;
  if (latency == throughput) {
    where.push_back(fmt::format("latency or throughput with {} execution", latency));
  } else {
    if (!latency.empty()) where.push_back(fmt::format("latency with {} execution", latency));
    if (!throughput.empty())
      where.push_back(fmt::format("throughput with {} execution", throughput));
  }
  fail("{} means nothing for {}: it is for {}", option, described(model), listed_or(where));
}

// The model of these words, with what both have as it was.
Execution renamed(const Execution& before, const ExecutionWords& words) {
  Execution model = execution_named(words.execution, words.objective);
  visit_fields(before,
               [&](std::string_view name, const auto& value) { set_field(model, name, value); });
  return model;
}

}  // namespace

void add_execution_options(CLI::App& verb, ExecutionOptions& options) {
  const auto add = [&](const char* name, auto& value, const char* meaning, const std::string& type,
                       const CLI::Validator& check) {
    option(verb, name, value, meaning, type, check).group(kExecutionGroup);
  };
  const auto add_word = [&](const char* name, std::string& value,
                            const std::vector<std::string>& words, const char* meaning) {
    add(name, value, meaning, listed(words, "|"), one_of(words));
  };
  add_word("--objective", options.objective, enum_words<Objective>(),
           "one sample, or time per sample");
  add_word("--execution", options.execution, execution_words(), "how devices work together");
  add_word("--overlap", options.overlap, enum_words<Overlap>(),
           "throughput: what of compute, transfers in and transfers out overlaps");
  add_word("--training-schedule", options.training_schedule, enum_words<TrainingSchedule>(),
           "throughput: order of forward and backward work");
  add("--subgraph-overhead", options.subgraph_overhead,
      "sequential: cost of each subgraph after the first", "MS", number_from(0));
  add("--pieces", options.pieces, "call latency: pieces per accelerator, default 1", "Q",
      integer_from(1, 1'000'000));
  add("--sync-bandwidth", options.sync_bandwidth,
      "training with replicas (ideal-dp, linear-dp): between them; default: free", "GB/S",
      number_from(0));
  add("--max-subgraphs", options.max_subgraphs,
      "most subgraphs that the placement may fall into; default: any number", "K",
      integer_from(1, 1'000'000'000));
  verb.add_flag("--contiguous", options.contiguous, "throughput: one contiguous piece per device")
      ->group(kExecutionGroup);
}

ChosenModel choose_model(const Problem& problem, const ExecutionOptions& options) {
  ChosenModel result{problem.model(), {}};
  ExecutionModel& model = result.model;
  const ExecutionWords before = words_of(model), words = words_for(problem, options);
  if (words.execution != std::string_view(before.execution) ||
      words.objective != before.objective) {
    model.execution = renamed(model.execution, words);
    if (MaxLoad* load = std::get_if<MaxLoad>(&model.execution);
        load != nullptr && load->route == Route::kLinks)
      // Cores move their data themselves: among CPUs nothing overlaps.
      load->overlap = problem.cluster().only_cpus() ? Overlap::kSum : Overlap::kMax;
  }
  if (const auto overlap = enum_value<Overlap>(options.overlap))
    set(model, "--overlap", "overlap", *overlap);
  if (const auto schedule = enum_value<TrainingSchedule>(options.training_schedule))
    set(model, "--training-schedule", "training_schedule", *schedule);
  if (options.subgraph_overhead)
    set(model, "--subgraph-overhead", "subgraph_overhead_us",
        milliseconds(*options.subgraph_overhead));
  if (options.pieces) set(model, "--pieces", "pieces", *options.pieces);
  if (options.contiguous) set(model, "--contiguous", "contiguous", true);
  if (options.sync_bandwidth)
    set(model, "--sync-bandwidth", "sync_bytes_per_second", *options.sync_bandwidth * 1e9);
  if (options.max_subgraphs) model.max_subgraphs = *options.max_subgraphs;

  const auto for_training = [&](bool asked, const char* option) {
    if (asked && !problem.is_training())
      result.warnings.push_back(
          fmt::format("{} is not used: the graph has no backward pass", option));
  };
  for_training(!options.training_schedule.empty(), "--training-schedule");
  for_training(options.sync_bandwidth.has_value(), "--sync-bandwidth");
  return result;
}

}  // namespace berth
