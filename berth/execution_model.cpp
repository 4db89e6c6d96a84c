#include "berth/execution_model.h"

#include <cmath>

#include <fmt/format.h>

#include "berth/base/fail.h"
#include "berth/base/listed.h"
#include "berth/base/text.h"

namespace berth {
namespace {

void expect(bool holds, const char* rule) {
  if (!holds) throw Error(rule);
}

}  // namespace

void Sequential::check() const {
  expect(subgraph_overhead >= Duration{0} && std::isfinite(subgraph_overhead.count()),
         "the subgraph overhead must be a finite time >= 0");
}

void CallLatency::check() const { expect(pieces >= 1, "pieces must be at least 1"); }

void MaxLoad::check() const { expect(microbatches >= 1, "microbatches must be at least 1"); }

void InPieces::check() const {
  expect(contention >= 0 && contention <= 1, "contention must be a number between 0 and 1");
}

std::span<const NamedExecution> named_executions() {
  constexpr Objective kLatency = Objective::kLatency, kThroughput = Objective::kThroughput;
  static const std::array kAll{
      NamedExecution{{"concurrent", kLatency}, Concurrent{}},
      NamedExecution{{"sequential", kLatency}, Sequential{}},
      NamedExecution{{"sequential", kThroughput}, Sequential{.objective = kThroughput}},
      NamedExecution{{"call", kLatency}, CallLatency{}},
      NamedExecution{{"call", kThroughput}, MaxLoad{.route = Route::kHost}},
      NamedExecution{{"pipeline", kThroughput}, MaxLoad{.route = Route::kLinks}},
      NamedExecution{{"pieces", kLatency}, InPieces{}},
      NamedExecution{{"pieces", kThroughput}, InPieces{.objective = kThroughput}},
  };
  return kAll;
}

std::vector<std::string> execution_words() {
  std::vector<std::string> words;
  for (const NamedExecution& named : named_executions())
    if (words.empty() || words.back() != named.words.execution)
      words.emplace_back(named.words.execution);
  return words;
}

ExecutionWords words_of(const ExecutionModel& model) {
  const Objective objective = model.objective();
  for (const NamedExecution& named : named_executions())
    if (named.words.objective == objective && named.model.index() == model.execution.index() &&
        ExecutionModel(named.model).through_host() == model.through_host())
      return named.words;
  return {"?", objective};
}

Execution execution_named(std::string_view execution, Objective objective) {
  std::vector<std::string> objectives, executions;
  for (const NamedExecution& named : named_executions()) {
    if (named.words.execution == execution && named.words.objective == objective)
      return named.model;
    if (named.words.execution == execution)
      objectives.emplace_back(to_string(named.words.objective));
    if (named.words.objective == objective) executions.emplace_back(named.words.execution);
  }
  if (objectives.empty())
    fail("there is no {} execution, expected one of: {}", in_quotes(execution),
         listed(execution_words()));
  fail("{} execution has no {}, expected {}, or {} with {} execution", execution,
       to_string(objective), listed_or(objectives), to_string(objective), listed_or(executions));
}

std::string described(const ExecutionModel& model) {
  const ExecutionWords words = words_of(model);
  return fmt::format("{} with {} execution", to_string(words.objective), words.execution);
}

}  // namespace berth
