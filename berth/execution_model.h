// How a placement turns into time: one of five models, each stated exactly in the header of its
// simulator.
//
//   Concurrent   sim/concurrent.h       devices in parallel, ready nodes by priority     latency
//   Sequential   sim/sequential.h       subgraphs one after another, as OpenVINO HETERO  both
//   CallLatency  sim/call.h             accelerator calls through host memory            latency
//   MaxLoad      sim/loads.h            steady state: the busiest device or channel      throughput
//   InPieces     sim/piece_execution.h  sub-models, each compiled and run as a whole     both
//
// Each has only its own fields, so that what means nothing cannot be said, and names them once, in
// visit(): files and command lines read and write what is listed there. What others must know of a
// model without knowing which one it is, it states once, in properties(). Users name a model by two
// words, execution and objective: "call" with throughput, and "pipeline", are the two kinds of
// MaxLoad.
#pragma once

#include <cassert>
#include <span>
#include <type_traits>
#include <variant>

#include "berth/base/enum_words.h"
#include "berth/base/units.h"

namespace berth {

enum class Objective : std::uint8_t { kLatency, kThroughput };
template <>
struct OptionNames<Objective> {
  static constexpr std::array values{std::pair{"latency", Objective::kLatency},
                                     std::pair{"throughput", Objective::kThroughput}};
};

// What of a device's work overlaps with its traffic.
enum class Overlap : std::uint8_t {
  kSum,     // load = compute + transfers
  kMax,     // load = max(compute, transfers)
  kDuplex,  // load = max(compute, transfers in, transfers out)
};
template <>
struct OptionNames<Overlap> {
  static constexpr std::array values{std::pair{"sum", Overlap::kSum},
                                     std::pair{"max", Overlap::kMax},
                                     std::pair{"duplex", Overlap::kDuplex}};
};

// How training pipelines order forward and backward work.
enum class TrainingSchedule : std::uint8_t {
  k1F1B,   // period = max over devices of (forward + backward)
  kGPipe,  // period = max forward + max backward
};
template <>
struct OptionNames<TrainingSchedule> {
  static constexpr std::array values{std::pair{"1f1b", TrainingSchedule::k1F1B},
                                     std::pair{"gpipe", TrainingSchedule::kGPipe}};
};

// What may be asked of every model; true is what is special.
struct ModelProperties {
  Objective objective = Objective::kLatency;
  // Nothing overlaps: all times and transfers add up.
  bool adds_up = false;
  // The value is made of the loads of sim/loads.h, and of nothing else.
  bool made_of_loads = false;
  // Accelerators exchange data through host memory, and CPUs are that host: calls.
  bool through_host = false;
  // What moves between servers takes the time of their wires.
  bool counts_network = false;
  // Transfers keep devices from computing.
  bool devices_pay_transfers = false;
  // Only contiguous pieces count.
  bool contiguous = false;
  // What a crossing costs depends on the pieces it joins: borders are what costs.
  bool priced_by_piece = false;
  // Forward and backward work have loads of their own: training by GPipe.
  bool halves_apart = false;
  // Devices hold tensors of several samples: throughput of pipelines and of pieces.
  bool keeps_samples_in_flight = false;
  // Devices may share work by dividing the samples (Replica in placement.h). In pieces every bound
  // counts on it; of calls, bounds and proofs speak of placements without replicas.
  bool knows_replicas = false;
  bool bounds_count_replicas = false;
  // Inference only: what to ask for in training. Null: this.
  const char* instead_in_training = nullptr;
};

struct Concurrent {
  static ModelProperties properties() { return {}; }
  static void check() {}
  static void visit(auto&, auto&&) {}
  friend bool operator==(const Concurrent&, const Concurrent&) = default;
};

// One sample at a time, so that latency and time per sample are the same.
struct Sequential {
  Objective objective = Objective::kLatency;
  Duration subgraph_overhead{0};  // of each subgraph after the first

  ModelProperties properties() const {
    return {
        .objective = objective, .adds_up = true, .made_of_loads = subgraph_overhead == Duration{0}};
  }
  void check() const;  // throws Error: a field has a value that means nothing
  static void visit(auto& model, auto&& field) {
    field("subgraph_overhead_us", model.subgraph_overhead);
  }
  friend bool operator==(const Sequential&, const Sequential&) = default;
};

struct CallLatency {
  int pieces = 1;  // most per accelerator

  static ModelProperties properties() {
    return {.through_host = true,
            .devices_pay_transfers = true,
            .instead_in_training = "--objective throughput"};
  }
  void check() const;
  static void visit(auto& model, auto&& field) { field("pieces", model.pieces); }
  friend bool operator==(const CallLatency&, const CallLatency&) = default;
};

// How data gets from one device to another, and who pays for it.
enum class Route : std::uint8_t {
  kHost,   // "call": accelerators write to host memory and read from it, in their own time
  kLinks,  // "pipeline": over the links of the cluster; channels have loads too
};

struct MaxLoad {
  Route route = Route::kLinks;
  Overlap overlap = Overlap::kSum;
  TrainingSchedule training = TrainingSchedule::k1F1B;
  int microbatches = 8;              // GPipe: stashed activations, for memory only
  bool contiguous = false;           // only contiguous pieces count
  double sync_bytes_per_second = 0;  // training with replicas, between them; 0: free

  ModelProperties properties() const {
    const bool calls = route == Route::kHost;
    return {.objective = Objective::kThroughput,
            .made_of_loads = !contiguous,
            .through_host = calls,
            .counts_network = calls,
            .devices_pay_transfers = calls || overlap == Overlap::kSum,
            .contiguous = contiguous,
            .halves_apart = training == TrainingSchedule::kGPipe,
            .keeps_samples_in_flight = !calls,
            .knows_replicas = calls};
  }
  void check() const;
  static void visit(auto& model, auto&& field) {
    field("overlap", model.overlap);
    field("training_schedule", model.training);
    field("microbatches", model.microbatches);
    field("contiguous", model.contiguous);
    if (model.route == Route::kHost) field("sync_bytes_per_second", model.sync_bytes_per_second);
  }
  friend bool operator==(const MaxLoad&, const MaxLoad&) = default;
};

struct InPieces {
  Objective objective = Objective::kLatency;
  double contention = 0;    // a further busy device slows all by this
  bool contiguous = false;  // throughput: only contiguous pieces count

  ModelProperties properties() const {
    const bool steady = objective == Objective::kThroughput;
    return {.objective = objective,
            .contiguous = steady && contiguous,
            .priced_by_piece = true,
            .keeps_samples_in_flight = steady,
            .knows_replicas = steady,
            .bounds_count_replicas = steady,
            .instead_in_training = "--execution pipeline"};
  }
  void check() const;
  static void visit(auto& model, auto&& field) {
    field("contention", model.contention);
    if (model.objective == Objective::kThroughput) field("contiguous", model.contiguous);
  }
  friend bool operator==(const InPieces&, const InPieces&) = default;
};

using Execution = std::variant<Concurrent, Sequential, CallLatency, MaxLoad, InPieces>;

// Calls field(name, value) for each field of the model.
template <class AnyExecution, class Field>
void visit_fields(AnyExecution& execution, Field&& field) {
  std::visit([&](auto& model) { std::decay_t<decltype(model)>::visit(model, field); }, execution);
}
// Sets the field of this name and kind; false when the model has none.
template <class Value>
bool set_field(Execution& execution, std::string_view name, const Value& value) {
  bool known = false;
  visit_fields(execution, [&](std::string_view candidate, auto& field) {
    if constexpr (std::is_same_v<std::decay_t<decltype(field)>, Value>) {
      if (candidate != name) return;
      field = value;
      known = true;
    }
  });
  return known;
}

// One of them, and what may be asked of all. Problem has the same questions.
class ExecutionModel {
 public:
  ExecutionModel() = default;
  template <class Model>
  requires std::is_constructible_v<Execution, Model> ExecutionModel(
      Model model, int most_subgraphs = 0)  // NOLINT: a model is an ExecutionModel
      : execution(std::move(model)), max_subgraphs(most_subgraphs) {}

  // The model if it is this one, else null.
  template <class Model>
  const Model* as() const {
    return std::get_if<Model>(&execution);
  }
  // The model, which is this one: for code that is about it.
  template <class Model>
  const Model& get() const {
    assert(as<Model>() != nullptr);
    return *as<Model>();
  }

  ModelProperties properties() const {
    return std::visit([](const auto& model) { return model.properties(); }, execution);
  }
  Objective objective() const { return properties().objective; }
  bool adds_up() const { return properties().adds_up; }
  bool through_host() const { return properties().through_host; }
  bool contiguous() const { return properties().contiguous; }
  bool priced_by_piece() const { return properties().priced_by_piece; }
  bool halves_apart() const { return properties().halves_apart; }
  bool keeps_samples_in_flight() const { return properties().keeps_samples_in_flight; }
  bool knows_replicas() const { return properties().knows_replicas; }
  bool bounds_count_replicas() const { return properties().bounds_count_replicas; }

  friend bool operator==(const ExecutionModel&, const ExecutionModel&) = default;

  Execution execution;
  int max_subgraphs = 0;  // in the sense of sim/pieces.h; 0: any number
};

// ---- the two words of users ----

struct ExecutionWords {
  const char* execution;
  Objective objective;
};
// Every pair that means something, with the model it names.
struct NamedExecution {
  ExecutionWords words;
  Execution model;
};
std::span<const NamedExecution> named_executions();
std::vector<std::string> execution_words();  // each once
ExecutionWords words_of(const ExecutionModel& model);
// Throws Error, with the pairs that there are, when this is none of them.
Execution execution_named(std::string_view execution, Objective objective);
// "throughput with call execution".
std::string described(const ExecutionModel& model);

}  // namespace berth
