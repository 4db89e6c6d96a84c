// What a front end does with one input: a problem file, a model, or a network of the zoo.
//
// The command line, and whatever stands beside it, opens a Session on an input with its options and
// shows what the functions below return. Nothing is opened or measured before it is needed, and
// then once: a model that was measured is the one that runs. On the devices of this machine times
// are measured, or remembered in a file of the caller's choice; elsewhere they are estimated.
//
//   problem        what is to be placed
//   measure        the model profiled on real devices
//   meter          real runs, for methods that measure
//   predict        what the simulator says of a placement of a model that was profiled
//   run            a placement executed for real, next to its alternatives
//   export_pieces  a placement as files that run without berth
//
// Requests that are not honoured, and what should be known of a measurement, come back as warnings
// in words; messages call options by their names on the command line.
#pragma once

#include "berth/graph/backward.h"
#include "berth/io/problem_options.h"
#include "berth/runtime/compare_runs.h"
#include "berth/runtime/profile.h"
#include "berth/search/budget.h"

namespace berth {

struct SessionOptions {
  // local, local:N, a built-in cluster or a devices file. Empty: a file's own devices; of a model,
  // cpu+gpu with a warning where it is estimated, and local where it runs.
  std::string devices;
  std::string precision;                  // of devices that run; empty: the first that each offers
  std::optional<std::int64_t> batch;      // models
  std::vector<std::string> shapes;        // models: "input=1,3,224,224", or "1,3,224,224"
  bool training = false;                  // models, pipedream files: add the backward pass
  Optimizer optimizer = Optimizer::kSgd;  // models: whose state training keeps
  bool untied = false;    // models, estimated: shared weights are nodes of their own
  bool estimate = false;  // even on this machine
  bool ignore_memory = false;
  std::optional<std::string> text;     // of a problem that the caller has read from somewhere
  std::filesystem::path measurements;  // the file that keeps them; empty: they are not kept
};

struct MeasuredModel {
  ModelProfile profile;
  Problem problem;  // of running it in pieces
  std::vector<std::string> warnings;
};

class Session {
 public:
  // `input` is a path, "-" for standard input, or "zoo:NAME(key=value,...)". The runtime is
  // borrowed; without one it is OpenVINO's, opened on first use.
  explicit Session(std::string input, SessionOptions options = {}, Runtime* runtime = nullptr);
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  LoadedProblem problem();

  // Throws Error, as all below, when the input is not a model.
  MeasuredModel measure(const ProfilePlan& plan = {});

  // Empty where nothing can be run: unless a model's forward pass is placed on devices that are
  // `local`. Must not outlive the session.
  Meter meter(const Problem& problem);

  // Read from a file, and checked against what every run of the model must respect.
  Placement read_placement(const std::string& file);
  // Empty for a model that was not profiled on these devices, now or earlier.
  std::optional<Prediction> predict(const Placement& placement);
  RunComparison run(const Placement& placement, const RunPlan& plan = {});

  // The problem is the one that was placed: its devices need not be here, its objective says how
  // the model is cut.
  ExportedFiles export_pieces(const Problem& problem, const Placement& placement,
                              const std::filesystem::path& folder);

  const std::shared_ptr<const Model>& model();  // with its weights
  const std::vector<RealDevice>& devices();     // that it runs on

 private:
  Runtime& runtime();
  RecordFile& cache();
  Cluster cluster(const std::string& name);
  ModelSource source() const;
  void expect_model(const char* reason) const;
  LoadedProblem from_file();
  LoadedProblem estimated();
  std::optional<Problem> profiled(Objective objective);

  std::string input_;
  SessionOptions options_;
  Runtime* runtime_;
  std::optional<RecordFile> cache_;
  std::shared_ptr<const Model> model_;
  std::vector<RealDevice> devices_;
  struct Profiled {
    Problem problem;
    Calibration calibration;
  };
  std::optional<Profiled> profiled_;
  bool looked_for_profile_ = false;  // among what is remembered
};

}  // namespace berth
