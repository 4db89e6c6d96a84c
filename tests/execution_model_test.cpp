#include "berth/execution_model.h"

#include <algorithm>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "berth/base/error.h"
#include "tests/io/error_text.h"

using namespace berth;

namespace {

constexpr Objective kLatency = Objective::kLatency, kThroughput = Objective::kThroughput;

std::vector<std::string> fields_of(const Execution& execution) {
  std::vector<std::string> names;
  visit_fields(execution, [&](std::string_view name, const auto&) { names.emplace_back(name); });
  return names;
}

}  // namespace

TEST_CASE("what may be asked of each execution that has a name") {
  struct Row {
    ExecutionWords words;
    bool through_host, may_be_contiguous, samples_in_flight, knows_replicas, bounds_count_replicas;
    bool adds_up, made_of_loads, devices_pay_transfers, priced_by_piece, may_train;
  };
  constexpr bool kNo = false, kYes = true;
  const std::vector<Row> rows{
      {{"concurrent", kLatency}, kNo, kNo, kNo, kNo, kNo, kNo, kNo, kNo, kNo, kYes},
      {{"sequential", kLatency}, kNo, kNo, kNo, kNo, kNo, kYes, kYes, kNo, kNo, kYes},
      {{"sequential", kThroughput}, kNo, kNo, kNo, kNo, kNo, kYes, kYes, kNo, kNo, kYes},
      {{"call", kLatency}, kYes, kNo, kNo, kNo, kNo, kNo, kNo, kYes, kNo, kNo},
      {{"call", kThroughput}, kYes, kYes, kNo, kYes, kNo, kNo, kYes, kYes, kNo, kYes},
      {{"pipeline", kThroughput}, kNo, kYes, kYes, kNo, kNo, kNo, kYes, kYes, kNo, kYes},
      {{"pieces", kLatency}, kNo, kNo, kNo, kNo, kNo, kNo, kNo, kNo, kYes, kNo},
      {{"pieces", kThroughput}, kNo, kYes, kYes, kYes, kYes, kNo, kNo, kNo, kYes, kNo},
  };
  CHECK(rows.size() == named_executions().size());
  for (const Row& row : rows) {
    ExecutionModel model = execution_named(row.words.execution, row.words.objective);
    CAPTURE(described(model));
    CHECK(model.objective() == row.words.objective);
    CHECK(model.through_host() == row.through_host);
    CHECK(model.keeps_samples_in_flight() == row.samples_in_flight);
    CHECK(model.knows_replicas() == row.knows_replicas);
    CHECK(model.bounds_count_replicas() == row.bounds_count_replicas);
    CHECK(model.adds_up() == row.adds_up);
    CHECK(model.properties().made_of_loads == row.made_of_loads);
    CHECK(model.properties().devices_pay_transfers == row.devices_pay_transfers);
    CHECK(model.priced_by_piece() == row.priced_by_piece);
    CHECK((model.properties().instead_in_training == nullptr) == row.may_train);
    CHECK_FALSE(model.halves_apart());
    CHECK_FALSE(model.contiguous());
    CHECK(set_field(model.execution, "contiguous", true) == row.may_be_contiguous);
    CHECK(model.contiguous() == row.may_be_contiguous);
  }
}

TEST_CASE("two words name a model, and a model has its two words, whatever its fields") {
  for (const NamedExecution& named : named_executions()) {
    const ExecutionModel model = execution_named(named.words.execution, named.words.objective);
    CHECK(model.execution == named.model);
    CHECK(words_of(model).execution == std::string(named.words.execution));
    CHECK(words_of(model).objective == named.words.objective);
  }
  CHECK(described(MaxLoad{.route = Route::kHost, .overlap = Overlap::kMax, .contiguous = true}) ==
        "throughput with call execution");
  CHECK(described(MaxLoad{.training = TrainingSchedule::kGPipe}) ==
        "throughput with pipeline execution");
  CHECK(described(InPieces{.contention = 0.5}) == "latency with pieces execution");
  const std::vector<std::string> words = execution_words();
  CHECK(words ==
        std::vector<std::string>{"concurrent", "sequential", "call", "pipeline", "pieces"});
}

TEST_CASE("a pair that means nothing is an error that says what does") {
  CHECK(error_of([] { execution_named("concurrent", kThroughput); }) ==
        "concurrent execution has no throughput, expected latency, or throughput with "
        "sequential, call, pipeline or pieces execution");
  CHECK(error_of([] { execution_named("pipeline", kLatency); }) ==
        "pipeline execution has no latency, expected throughput, or latency with concurrent, "
        "sequential, call or pieces execution");
  CHECK(error_of([] { execution_named("parallel", kLatency); }) ==
        "there is no \"parallel\" execution, expected one of: concurrent, sequential, call, "
        "pipeline, pieces");
}

TEST_CASE("each model has its own fields") {
  using Names = std::vector<std::string>;
  CHECK(fields_of(Concurrent{}).empty());
  CHECK(fields_of(Sequential{}) == Names{"subgraph_overhead_us"});
  CHECK(fields_of(CallLatency{}) == Names{"pieces"});
  CHECK(fields_of(MaxLoad{.route = Route::kLinks}) ==
        Names{"overlap", "training_schedule", "microbatches", "contiguous"});
  CHECK(fields_of(MaxLoad{.route = Route::kHost}) == Names{"overlap", "training_schedule",
                                                           "microbatches", "contiguous",
                                                           "sync_bytes_per_second"});
  CHECK(fields_of(InPieces{.objective = kLatency}) == Names{"contention"});
  CHECK(fields_of(InPieces{.objective = kThroughput}) == Names{"contention", "contiguous"});
}

TEST_CASE("a field that a model lacks, or of another kind, is not set") {
  Execution call = CallLatency{};
  CHECK(set_field(call, "pieces", 3));
  CHECK(call == Execution(CallLatency{.pieces = 3}));
  CHECK_FALSE(set_field(call, "pieces", 4.0));
  CHECK_FALSE(set_field(call, "contiguous", true));
  CHECK_FALSE(set_field(call, "microbatches", 2));
  CHECK(call == Execution(CallLatency{.pieces = 3}));

  Execution pipeline = MaxLoad{};
  CHECK_FALSE(set_field(pipeline, "sync_bytes_per_second", 1e9));
  CHECK_FALSE(set_field(pipeline, "pieces", 2));
  CHECK(pipeline == Execution(MaxLoad{}));
  CHECK(set_field(pipeline, "overlap", Overlap::kDuplex));
  CHECK(pipeline == Execution(MaxLoad{.overlap = Overlap::kDuplex}));
}

TEST_CASE("loads alone do not make the value where subgraphs cost or pieces must be contiguous") {
  const auto made_of_loads = [](const Execution& execution) {
    return ExecutionModel(execution).properties().made_of_loads;
  };
  CHECK_FALSE(made_of_loads(Sequential{.subgraph_overhead = Duration{1}}));
  CHECK_FALSE(made_of_loads(MaxLoad{.contiguous = true}));
  // A pipeline whose transfers overlap leaves devices free to compute meanwhile; calls never do.
  CHECK_FALSE(MaxLoad{.overlap = Overlap::kMax}.properties().devices_pay_transfers);
  CHECK(
      MaxLoad{.route = Route::kHost, .overlap = Overlap::kMax}.properties().devices_pay_transfers);
}

TEST_CASE("forward and backward work have loads of their own under GPipe only") {
  CHECK(ExecutionModel(MaxLoad{.training = TrainingSchedule::kGPipe}).halves_apart());
  CHECK(ExecutionModel(MaxLoad{.route = Route::kHost, .training = TrainingSchedule::kGPipe})
            .halves_apart());
  CHECK_FALSE(ExecutionModel(MaxLoad{.training = TrainingSchedule::k1F1B}).halves_apart());
}
