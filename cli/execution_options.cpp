#include "cli/execution_options.h"

#include <array>

#include <fmt/format.h>

#include "cli/checks.h"

namespace berth {
namespace {

constexpr std::array kObjectives{Objective::kLatency, Objective::kThroughput};
constexpr std::array kExecutions{Execution::kConcurrent, Execution::kSequential, Execution::kCall,
                                 Execution::kPipeline, Execution::kPieces};
constexpr std::array kOverlaps{Overlap::kSum, Overlap::kMax, Overlap::kDuplex};
constexpr std::array kTrainingSchedules{TrainingSchedule::k1F1B, TrainingSchedule::kGPipe};

template <class Values>
std::vector<std::string> words(const Values& values) {
  std::vector<std::string> result;
  for (const auto value : values) result.emplace_back(to_string(value));
  return result;
}

// The value of a word that CLI::IsMember let through; empty leaves what was there.
template <class Values, class Value>
void take(const std::string& word, const Values& values, Value& out) {
  for (const auto value : values)
    if (word == to_string(value)) out = value;
}

bool is_load_based(const ExecutionModel& model) {
  return model.execution == Execution::kPipeline ||
         (model.execution == Execution::kCall && model.objective == Objective::kThroughput);
}

// Cores move their data themselves: nothing overlaps.
bool only_cpus(const Cluster& cluster) {
  for (const DeviceId device : cluster.devices())
    if (!cluster.device(device).is_host()) return false;
  return true;
}

std::string described(const ExecutionModel& model) {
  return fmt::format("{} with {} execution", to_string(model.objective),
                     to_string(model.execution));
}

}  // namespace

void add_execution_options(CLI::App& verb, ExecutionOptions& options) {
  const std::string group = kExecutionGroup;
  const auto word = [&](const char* name, std::string& value, const std::vector<std::string>& words,
                        const char* meaning) {
    verb.add_option(name, value, meaning)
        ->check(one_of(words))
        ->type_name(fmt::format("{}", fmt::join(words, "|")))
        ->group(group);
  };
  word("--objective", options.objective, words(kObjectives), "one sample, or time per sample");
  word("--execution", options.execution, words(kExecutions), "how devices work together");
  word("--overlap", options.overlap, words(kOverlaps),
       "throughput: what of compute, transfers in and transfers out overlaps");
  word("--training-schedule", options.training_schedule, words(kTrainingSchedules),
       "throughput: order of forward and backward work");
  verb.add_option("--subgraph-overhead", options.subgraph_overhead,
                  "sequential: cost of each subgraph after the first")
      ->check(number_from(0))
      ->type_name("MS")
      ->group(group);
  verb.add_option("--pieces", options.pieces, "call latency: pieces per accelerator, default 1")
      ->check(integer_from(1, 1'000'000))
      ->type_name("Q")
      ->group(group);
  verb.add_option("--sync-bandwidth", options.sync_bandwidth,
                  "training with replicas (ideal-dp, linear-dp): between them; default: free")
      ->check(number_from(0))
      ->type_name("GB/S")
      ->group(group);
  verb.add_option("--max-subgraphs", options.max_subgraphs,
                  "most subgraphs that the placement may fall into; default: any number")
      ->check(integer_from(1, 1'000'000'000))
      ->type_name("K")
      ->group(group);
  verb.add_flag("--contiguous", options.contiguous, "throughput: one contiguous piece per device")
      ->group(group);
}

ChosenModel choose_model(const Problem& problem, const ExecutionOptions& options) {
  ChosenModel result{problem.model(), {}};
  ExecutionModel& model = result.model;
  take(options.execution, kExecutions, model.execution);
  take(options.objective, kObjectives, model.objective);
  if (options.objective.empty() && options.execution == to_string(Execution::kPipeline))
    model.objective = Objective::kThroughput;
  if (options.objective.empty() && options.execution == to_string(Execution::kConcurrent))
    model.objective = Objective::kLatency;

  if (model.execution == Execution::kConcurrent && model.objective == Objective::kThroughput) {
    model.execution = Execution::kPipeline;
    if (!options.execution.empty())
      result.warnings.push_back(
          "--execution concurrent has no throughput of its own: measured as a pipeline");
  }
  if (model.execution == Execution::kPipeline && model.objective == Objective::kLatency) {
    model.execution = Execution::kConcurrent;
    if (!options.execution.empty())
      result.warnings.push_back(
          "--execution pipeline has no latency of its own: measured as concurrent execution");
  }
  if (model.execution == Execution::kPipeline && problem.execution() != Execution::kPipeline)
    model.overlap = only_cpus(problem.cluster()) ? Overlap::kSum : Overlap::kMax;

  take(options.overlap, kOverlaps, model.overlap);
  take(options.training_schedule, kTrainingSchedules, model.training);
  if (options.subgraph_overhead) model.subgraph_overhead = milliseconds(*options.subgraph_overhead);
  if (options.pieces) model.pieces = *options.pieces;
  if (options.contiguous) model.contiguous = true;
  if (options.max_subgraphs) model.max_subgraphs = *options.max_subgraphs;
  if (options.sync_bandwidth) model.sync_bytes_per_second = *options.sync_bandwidth * 1e9;

  const auto ignored = [&](bool asked, bool honoured, const char* option) {
    if (asked && !honoured)
      result.warnings.push_back(
          fmt::format("{} is not used: it means nothing for {}", option, described(model)));
  };
  ignored(!options.overlap.empty(), is_load_based(model), "--overlap");
  ignored(!options.training_schedule.empty(), is_load_based(model), "--training-schedule");
  if (!options.training_schedule.empty() && is_load_based(model) && !problem.is_training())
    result.warnings.push_back("--training-schedule is not used: the graph has no backward pass");
  ignored(options.subgraph_overhead.has_value(), model.execution == Execution::kSequential,
          "--subgraph-overhead");
  ignored(options.pieces.has_value(),
          model.execution == Execution::kCall && model.objective == Objective::kLatency,
          "--pieces");
  ignored(options.contiguous,
          is_load_based(model) ||
              (model.execution == Execution::kPieces && model.objective == Objective::kThroughput),
          "--contiguous");
  ignored(options.sync_bandwidth.has_value(),
          is_load_based(model) && model.execution == Execution::kCall && problem.is_training(),
          "--sync-bandwidth");
  return result;
}

}  // namespace berth
