// A placement executed for real, next to its alternatives: each device alone, the whole CPU with
// all threads on one request and with a stream per group of cores, and OpenVINO's HETERO with the
// same placement. All take turns (race.h), and what they compute can be held against one device.
#pragma once

#include "berth/runtime/race.h"

namespace berth {

// One way to run the model, made ready.
struct WayToRun {
  std::string name;
  std::unique_ptr<Executor> latency, throughput;  // throughput null: the same as latency
  int in_flight = 1;
  std::string refused{};  // why it does not run, when it does not
};

// In the order above. A way that is refused has its reason; only a device alone must run.
std::vector<WayToRun> alternatives(Runtime& runtime, const Model& model,
                                   std::span<const RealDevice> devices, const Placement& placement);

struct RunPlan {
  int rounds = 7;      // of measuring everything in turn
  bool check = false;  // compare outputs
  std::function<void(int done, int all)> progress{};
};

struct Prediction {
  Duration latency{0}, period{0};
};

// How one way did.
struct RunRow {
  std::string name, refused;
  RaceTime times{};
  std::optional<Prediction> predicted{};
  std::optional<double> output_error{};  // relative (race.h); empty: not compared
  std::optional<std::size_t> pieces{};   // empty: it does not run
};

struct RunComparison {
  std::vector<RealDevice> devices;
  std::vector<std::size_t> pieces_on;  // by device: of the placement, as executed
  std::vector<RunRow> rows;            // the placement, then each device alone, then the others
  bool checked = false;
  double allowed_error = 0;           // of the placement's outputs, by the precision computed in
  std::vector<std::string> warnings;  // what did not run

  bool passed() const {
    return !rows.front().output_error || *rows.front().output_error <= allowed_error;
  }
};

// `ways` has the placement first and then at least one device alone, whose outputs are what the
// others must compute. Predictions and `pieces_on` are left to whoever knows the placement.
RunComparison compare_runs(std::vector<RealDevice> devices, std::span<const WayToRun> ways,
                           const RunPlan& plan);

}  // namespace berth
