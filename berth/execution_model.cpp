#include "berth/execution_model.h"

#include <fmt/format.h>

#include "berth/base/fail.h"
#include "berth/base/listed.h"
#include "berth/base/text.h"

namespace berth {
namespace {

bool is_throughput_in_pieces(const ExecutionModel& model) {
  const InPieces* pieces = model.as<InPieces>();
  return pieces != nullptr && pieces->objective == Objective::kThroughput;
}

bool has_route(const ExecutionModel& model, Route route) {
  const MaxLoad* load = model.as<MaxLoad>();
  return load != nullptr && load->route == route;
}

}  // namespace

Objective ExecutionModel::objective() const {
  return std::visit(
      [](const auto& model) {
        using Model = std::decay_t<decltype(model)>;
        if constexpr (requires { model.objective; }) return model.objective;
        return std::is_same_v<Model, MaxLoad> ? Objective::kThroughput : Objective::kLatency;
      },
      execution);
}

bool ExecutionModel::contiguous() const {
  if (const MaxLoad* load = as<MaxLoad>()) return load->contiguous;
  return is_throughput_in_pieces(*this) && as<InPieces>()->contiguous;
}

bool ExecutionModel::keeps_samples_in_flight() const {
  return has_route(*this, Route::kLinks) || is_throughput_in_pieces(*this);
}

bool ExecutionModel::knows_replicas() const {
  return has_route(*this, Route::kHost) || is_throughput_in_pieces(*this);
}

bool ExecutionModel::bounds_count_replicas() const { return is_throughput_in_pieces(*this); }

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
