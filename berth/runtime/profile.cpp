#include "berth/runtime/profile.h"

#include <algorithm>
#include <map>
#include <set>

#include <fmt/format.h>

#include "berth/base/hash.h"
#include "berth/base/text.h"
#include "berth/graph/union_find.h"
#include "berth/runtime/model_problem.h"
#include "berth/sim/evaluate.h"

namespace berth {
namespace {

// Predicted over measured, beyond which a profile is not believed.
constexpr double kTrusted = 1.25;

// The same graph, with each set in one group; groups that a set joins become one.
Graph with_sets_together(const Graph& graph, const std::vector<std::vector<NodeId>>& sets) {
  const auto number = [](NodeId node) { return static_cast<std::uint32_t>(node); };
  UnionFind together(graph.node_count());
  std::map<std::int32_t, NodeId> first_of;
  for (const NodeId node : graph.nodes())
    if (const std::int32_t group = graph.node(node).group; group != kNoGroup)
      together.join(number(first_of.try_emplace(group, node).first->second), number(node));
  for (const std::vector<NodeId>& set : sets)
    for (const NodeId node : set) together.join(number(set.front()), number(node));

  std::map<std::uint32_t, std::pair<std::int32_t, int>> group_of;  // root -> number, members
  for (const NodeId node : graph.nodes()) ++group_of[together.find(number(node))].second;
  std::int32_t next = 0;
  for (auto& [root, group] : group_of) group.first = group.second > 1 ? next++ : kNoGroup;

  IdVector<NodeId, std::int32_t> groups(graph.node_count());
  for (const NodeId node : graph.nodes())
    groups[node] = group_of.at(together.find(number(node))).first;
  return graph.with_groups(groups);
}

// A model's structure: what its operators are and how they hang together, but not its name.
std::uint64_t structure_of(const Graph& graph) {
  std::uint64_t hash = kEmptyHash;
  const auto mix = [&](std::string_view text) { hash = hash_of(text, hash); };
  for (const NodeId node : graph.nodes()) {
    mix(fmt::format("{} {}", graph.node(node).op_type, graph.node(node).flops));
    for (const TensorId tensor : graph.inputs(node)) mix(fmt::format("<{}", index(tensor)));
    for (const TensorId tensor : graph.outputs(node))
      mix(fmt::format(">{}", graph.tensor(tensor).size.count));
  }
  return hash;
}

std::string calibration_key(Runtime& runtime, const Model& model,
                            std::span<const RealDevice> devices) {
  std::string key =
      fmt::format("calibration 2|{}|{:016x}", runtime.version(), structure_of(model.graph()));
  for (const RealDevice& device : devices) key += fmt::format("|{}", runtime.device_class(device));
  return key;
}

// Whether the profile takes the whole model, on the first device of each class, for much slower
// than it is now: than the shortest of a few runs, which is what the machine can do when nothing
// disturbs it.
bool is_too_slow(Runtime& runtime, const Model& model, std::span<const RealDevice> devices,
                 const Problem& problem) {
  constexpr int kRuns = 6;
  std::set<std::string> classes;
  Evaluator predict(problem);
  for (std::size_t d = 0; d < devices.size(); ++d) {
    if (!classes.insert(runtime.device_class(devices[d])).second) continue;
    const Duration predicted =
        predict(std::vector(problem.node_count(), static_cast<DeviceId>(d))).value;
    if (predicted == kForever) continue;  // it cannot run all of the model
    const auto executor = runtime.prepare_single(model, devices[d], 1);
    Duration shortest = executor->run_once();
    for (int run = 1; run < kRuns; ++run) shortest = std::min(shortest, executor->run_once());
    if (predicted > kTrusted * shortest) return true;
  }
  return false;
}

}  // namespace

Problem profiled_problem(const Model& model, const Cluster& cluster, const OpTimes& times) {
  NodeTimes node_times(model.graph().node_count(), cluster.device_count());
  for (const NodeId node : model.graph().nodes())
    for (const DeviceId device : cluster.devices())
      node_times.set(node, device,
                     Duration{times.micros[index(node) * cluster.device_count() + index(device)]});
  return Problem(model.name(), with_sets_together(model.graph(), times.fused), cluster,
                 {std::move(node_times), {}});
}

std::optional<Calibration> remembered_calibration(Runtime& runtime, const Model& model,
                                                  std::span<const RealDevice> devices,
                                                  const RecordFile& cache) {
  const std::vector<double> numbers =
      numbers_in(cache.find(calibration_key(runtime, model, devices)), 2 + 3 * devices.size());
  if (numbers.empty()) return std::nullopt;
  Calibration calibration{.devices = {},
                          .hand_over = Duration{numbers[0]},
                          .contention = std::clamp(numbers[1], 0.0, 1.0)};
  for (std::size_t d = 0; d < devices.size(); ++d)
    calibration.devices.push_back(
        {numbers[2 + 3 * d], Duration{numbers[3 + 3 * d]}, numbers[4 + 3 * d]});
  return calibration;
}

void remember_calibration(Runtime& runtime, const Model& model, std::span<const RealDevice> devices,
                          const Calibration& calibration, RecordFile& cache) {
  std::string record = fmt::format("{} {}", calibration.hand_over.count(), calibration.contention);
  for (const DeviceFit& fit : calibration.devices)
    record += fmt::format(" {} {} {}", fit.scale, fit.overhead.count(), fit.micros_per_byte);
  cache.add(calibration_key(runtime, model, devices), record);
}

ModelProfile profile_model(Runtime& runtime, const Model& model,
                           std::span<const RealDevice> devices, const Cluster& cluster,
                           RecordFile& cache, const ProfilePlan& plan) {
  const auto measured = [&] {
    OpTimes times = runtime.measure_ops(model, devices, cache);
    return ModelProfile{profiled_problem(model, cluster, times), {}, std::move(times), {}, false};
  };
  ModelProfile profile = measured();
  std::optional<Calibration> known;
  if (!plan.calibrate_again) known = remembered_calibration(runtime, model, devices, cache);
  if (known && profile.times.measured == 0 &&
      is_too_slow(runtime, model, devices, piece_problem(profile.profiled, *known))) {
    cache.forget();
    profile = measured();
    profile.was_too_slow = true;
    known.reset();
  }
  if (known || devices.size() < 2) {
    profile.calibration = known.value_or(no_calibration(devices.size()));
    return profile;
  }
  profile.run = calibrate_on(runtime, model, devices, profile.profiled, plan.calibration);
  profile.calibration = profile.run->calibration;
  if (median_error(profile.run->held_out) <= kTrusted - 1)
    remember_calibration(runtime, model, devices, profile.calibration, cache);
  return profile;
}

std::vector<std::string> profile_warnings(const ModelProfile& profile) {
  std::vector<std::string> warnings;
  if (profile.was_too_slow)
    warnings.push_back(
        "what was remembered of this model was measured on a busy machine: measured again");
  if (const double error = profile.run ? median_error(profile.run->held_out) : 0;
      error > kTrusted - 1)
    warnings.push_back(
        fmt::format("predictions are wrong by {} in the median: is the machine busy? "
                    "The calibration is not remembered",
                    percent_text(error)));
  return warnings;
}

}  // namespace berth
