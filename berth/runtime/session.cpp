#include "berth/runtime/session.h"

#include <algorithm>

#include <fmt/format.h>

#include "berth/base/fail.h"
#include "berth/cost/change_cluster.h"
#include "berth/cost/clusters.h"
#include "berth/io/devices_json.h"
#include "berth/io/placement_json.h"
#include "berth/io/read_problem.h"
#include "berth/runtime/local_cluster.h"
#include "berth/runtime/model_problem.h"
#include "berth/runtime/placement_meter.h"
#include "berth/runtime/run_as.h"
#include "berth/sim/evaluate.h"

namespace berth {
namespace {

// What people have in mind who name no devices: this host with a graphics card.
constexpr const char* kDefaultCluster = "cpu+gpu";

// Names and kinds: all that is known of devices that were not probed.
Cluster unprobed(const std::vector<RealDevice>& devices) {
  std::vector<Device> plain;
  for (const RealDevice& device : devices)
    plain.push_back({.name = device.name, .kind = device.kind});
  return Cluster(std::move(plain));
}

}  // namespace

Session::Session(std::string input, SessionOptions options, Runtime* runtime)
    : input_(std::move(input)), options_(std::move(options)), runtime_(runtime) {}

Runtime& Session::runtime() {
  if (runtime_ == nullptr) runtime_ = &openvino_runtime();
  return *runtime_;
}

RecordFile& Session::cache() {
  if (!cache_) cache_.emplace(options_.measurements);
  return *cache_;
}

ModelSource Session::source() const {
  return model_source(input_, options_.batch, options_.shapes);
}

const std::shared_ptr<const Model>& Session::model() {
  if (!model_) model_ = runtime().open(source());
  return model_;
}

const std::vector<RealDevice>& Session::devices() {
  if (options_.untied)
    throw Error(
        "--untied: on this machine the users of a weight share a device; expected --devices of "
        "another cluster, to simulate");
  if (devices_.empty())
    devices_ = named_devices(runtime(), options_.devices.empty() ? "local" : options_.devices,
                             options_.precision);
  return devices_;
}

Cluster Session::cluster(const std::string& name) {
  return parse_local(name) ? local_cluster(runtime(), devices(), cache()) : find_cluster(name);
}

void Session::expect_model(const char* reason) const {
  if (!is_model(input_)) fail("{}: expected a model file or zoo:NAME; {}", input_, reason);
}

LoadedProblem Session::from_file() {
  ReadOptions read{
      .cluster = {}, .training = options_.training, .ignore_memory = options_.ignore_memory};
  if (!options_.devices.empty()) read.cluster = cluster(options_.devices);
  if (!options_.text) check_file_type(input_);
  const std::string name = input_ == "-" ? "standard input" : input_;
  LoadedProblem result{
      options_.text ? parse_problem(*options_.text, name, read) : read_problem(name, read), {}};
  const auto unused = [&](bool asked, const std::string& option, const std::string& reason) {
    if (asked) result.warnings.push_back(fmt::format("{} is not used: {}", option, reason));
  };
  unused(read.cluster && device_names(*read.cluster) != device_names(result.problem.cluster()),
         "--devices " + options_.devices, input_ + " brings its own devices");
  unused(options_.training && !result.problem.is_training(), "--training",
         input_ + " has fixed work");
  unused(options_.optimizer != Optimizer::kSgd, "--optimizer",
         "a problem file has its memory in its sizes");
  unused(options_.untied, "--untied", "a problem file has its weights in its nodes");
  unused(options_.batch.has_value(), "--batch", "a problem file has its batch size in its times");
  unused(!options_.shapes.empty(), "--shape", "a problem file has the shapes in its sizes");
  return result;
}

LoadedProblem Session::estimated() {
  const bool named = !options_.devices.empty();
  Cluster on = cluster(named ? options_.devices : kDefaultCluster);
  if (options_.ignore_memory) on = without_limits(std::move(on));
  ModelSource graph_only = source();
  graph_only.values = false;
  const SharedWeights weights = options_.untied ? SharedWeights::kUntied : SharedWeights::kTied;
  LoadedProblem result{model_problem(*runtime().open(graph_only), on, options_.training,
                                     options_.optimizer, weights),
                       {}};
  if (options_.untied && unit_graph(result.problem).shared_weights().empty())
    result.warnings.push_back("--untied changes nothing: no weight has users that could part");
  if (options_.optimizer != Optimizer::kSgd && !options_.training)
    result.warnings.push_back("--optimizer is not used: it is for --training");
  if (!named)
    result.warnings.push_back(fmt::format(
        "no --devices given: times are estimated for the built-in cluster {}", kDefaultCluster));
  return result;
}

LoadedProblem Session::problem() {
  if (!is_model(input_)) return from_file();
  if (!parse_local(options_.devices) || options_.estimate || options_.training) return estimated();
  MeasuredModel measured = measure();
  return {std::move(measured.problem), std::move(measured.warnings)};
}

MeasuredModel Session::measure(const ProfilePlan& plan) {
  expect_model("the times of a problem file are its own");
  const std::vector<RealDevice>& on = devices();
  const Model& opened = *model();
  Cluster cluster = local_cluster(runtime(), on, cache(), plan.calibrate_again);
  if (options_.ignore_memory) cluster = without_limits(std::move(cluster));
  ModelProfile profile = profile_model(runtime(), opened, on, cluster, cache(), plan);
  profiled_ = Profiled{profile.profiled, profile.calibration};
  Problem problem = piece_problem(profile.profiled, profile.calibration);
  std::vector<std::string> warnings = cache().damage_warnings();
  std::ranges::copy(profile_warnings(profile), std::back_inserter(warnings));
  return {std::move(profile), std::move(problem), std::move(warnings)};
}

Meter Session::meter(const Problem& problem) {
  if (!is_model(input_) || options_.training || !parse_local(options_.devices)) return {};
  const auto meter = std::make_shared<Meter>();
  return [this, meter, problem](const Placement& placement) {
    if (!*meter) *meter = placement_meter(runtime(), model(), devices(), problem);
    return (*meter)(placement);
  };
}

Placement Session::read_placement(const std::string& file) {
  expect_model("a problem file has nothing that runs");
  const Graph& graph = model()->graph();
  const Problem problem(model()->name(), graph, unprobed(devices()),
                        {NodeTimes(graph.node_count(), devices().size()), {}}, {},
                        InPieces{.objective = Objective::kThroughput});  // of unknown times
  Placement placement = berth::read_placement(file, problem);
  if (const auto broken = broken_rule(problem, placement)) fail("{}: {}", file, *broken);
  return placement;
}

std::optional<Problem> Session::profiled(Objective objective) {
  if (!profiled_ && !std::exchange(looked_for_profile_, true)) {
    const auto calibration = remembered_calibration(runtime(), *model(), devices(), cache());
    if (!calibration) return std::nullopt;
    const OpTimes times = runtime().measure_ops(*model(), devices(), cache());
    profiled_ = Profiled{profiled_problem(*model(), unprobed(devices()), times), *calibration};
  }
  if (!profiled_) return std::nullopt;
  return piece_problem(profiled_->problem, profiled_->calibration, objective);
}

std::optional<Prediction> Session::predict(const Placement& placement) {
  expect_model("a problem file is simulated");
  const auto latency = profiled(Objective::kLatency), throughput = profiled(Objective::kThroughput);
  if (!latency) return std::nullopt;
  return Prediction{Evaluator(*latency)(placement).value, Evaluator(*throughput)(placement).value};
}

RunComparison Session::run(const Placement& placement, const RunPlan& plan) {
  expect_model("a problem file has nothing that runs");
  const auto prepared = [&](Objective objective, ExecutorKind kind) {
    const auto problem = profiled(objective);
    return runtime().prepare(*model(), devices(),
                             problem ? with_predicted_order(*problem, placement) : placement, kind);
  };
  std::vector<WayToRun> ways;
  ways.push_back({.name = "placement",
                  .latency = prepared(Objective::kLatency, ExecutorKind::kConcurrent),
                  .throughput = prepared(Objective::kThroughput, ExecutorKind::kPipeline),
                  .in_flight = requests_in_flight(devices().size())});
  std::ranges::move(alternatives(runtime(), *model(), devices(), placement),
                    std::back_inserter(ways));
  RunComparison result = compare_runs(devices(), ways, plan);
  result.rows.front().predicted = predict(placement);
  const WayToRun& placed = ways.front();
  const Executor& executor = placement.replicas.empty() ? *placed.latency : *placed.throughput;
  for (const RealDevice& device : devices())
    result.pieces_on.push_back(static_cast<std::size_t>(
        std::ranges::count(executor.pieces(), device.name, &RunningPiece::executed_on)));
  const std::vector<std::string> damage = cache().damage_warnings();
  result.warnings.insert(result.warnings.begin(), damage.begin(), damage.end());
  return result;
}

ExportedFiles Session::export_pieces(const Problem& problem, const Placement& placement,
                                     const std::filesystem::path& folder) {
  expect_model("a problem file has no operators to cut");
  return runtime().export_pieces(*model(), device_names(problem.cluster()), placement,
                                 executor_kind(problem), folder);
}

}  // namespace berth
