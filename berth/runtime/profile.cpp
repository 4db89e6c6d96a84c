#include "berth/runtime/profile.h"

#include <algorithm>
#include <cassert>
#include <map>
#include <memory>
#include <thread>
#include <utility>

#include <fmt/format.h>

#include "berth/base/text.h"
#include "berth/graph/union_find.h"
#include "berth/runtime/estimate.h"
#include "berth/runtime/piece_problem.h"
#include "berth/runtime/run_as.h"
#include "berth/runtime/sample_placements.h"
#include "berth/sim/evaluate.h"
#include "berth/sim/piece_execution.h"
#include "berth/sim/pieces.h"

namespace berth {
namespace {

// The same graph, with each set in one group; groups that a set joins become one.
Graph with_sets_together(const Graph& graph, const std::vector<std::vector<NodeId>>& sets) {
  const auto number = [](NodeId node) { return static_cast<std::uint32_t>(node); };
  UnionFind together(graph.node_count());
  std::map<std::int32_t, NodeId> first_of;
  for (const NodeId node : graph.nodes()) {
    const std::int32_t group = graph.node(node).group;
    if (group == kNoGroup) continue;
    const auto [first, is_new] = first_of.try_emplace(group, node);
    if (!is_new) together.join(number(first->second), number(node));
  }
  for (const std::vector<NodeId>& set : sets)
    for (const NodeId node : set) together.join(number(set.front()), number(node));

  std::map<std::size_t, std::pair<std::int32_t, std::size_t>> group_of;  // root -> number, members
  for (const NodeId node : graph.nodes()) ++group_of[together.find(number(node))].second;
  std::int32_t next = 0;
  for (auto& [root, group] : group_of) group.first = group.second > 1 ? next++ : kNoGroup;

  GraphBuilder builder;
  for (const NodeId node : graph.nodes()) {
    Node copy = graph.node(node);
    copy.group = group_of.at(together.find(number(node))).first;
    builder.add_node(std::move(copy));
  }
  for (const TensorId tensor : graph.tensors()) {
    const TensorId copy = builder.add_tensor(graph.producer(tensor), graph.tensor(tensor));
    for (const NodeId consumer : graph.consumers(tensor)) builder.add_use(copy, consumer);
  }
  return std::move(builder).build();
}

// What one placement showed.
struct Observation {
  Duration latency{0};
  std::vector<PieceSample> pieces;
  std::vector<Duration> waits;
};

// Hand-overs: what passes between the last arrival from another device and the start, where the
// receiving device was idle by then.
std::vector<Duration> waits_in(const Graph& graph, const Pieces& pieces,
                               const std::vector<PieceSpan>& spans) {
  std::vector<Duration> last_here(pieces.count(), Duration{0}), last_there = last_here;
  for (const NodeId node : graph.nodes())
    for (const NodeId next : graph.successors(node)) {
      const std::uint32_t from = pieces.piece_of[node], to = pieces.piece_of[next];
      if (from == to) continue;
      auto& last = pieces.device[from] == pieces.device[to] ? last_here : last_there;
      last[to] = std::max(last[to], spans[from].end);
    }
  std::vector<Duration> waits;
  for (std::size_t p = 0; p < pieces.count(); ++p) {
    Duration busy_until = last_here[p];
    for (std::size_t q = 0; q < pieces.count(); ++q)
      if (q != p && pieces.device[q] == pieces.device[p] && spans[q].end <= spans[p].start)
        busy_until = std::max(busy_until, spans[q].end);
    if (last_there[p] > busy_until) waits.push_back(spans[p].start - last_there[p]);
  }
  return waits;
}

// Busy devices beside the piece's own, on average over each piece's span.
std::vector<double> others_busy(const Pieces& pieces, const std::vector<PieceSpan>& spans) {
  std::vector<double> others(pieces.count(), 0);
  for (std::size_t p = 0; p < pieces.count(); ++p)
    for (std::size_t q = 0; q < pieces.count(); ++q) {
      const Duration both =
          std::min(spans[p].end, spans[q].end) - std::max(spans[p].start, spans[q].start);
      if (pieces.device[p] != pieces.device[q] && both > Duration{0})
        others[p] += both / (spans[p].end - spans[p].start);
    }
  return others;
}

Observation observe(Runtime& runtime, const Model& model, std::span<const RealDevice> devices,
                    const Problem& profiled, const Placement& placement, int runs) {
  const auto executor = runtime.prepare(model, devices, placement, ExecutorKind::kConcurrent);
  const Pieces pieces = eager_pieces(profiled.graph(), placement.device_of.items());
  assert(executor->pieces().size() == pieces.count());
  std::vector<Duration> latencies;
  std::vector<std::vector<Duration>> times(pieces.count());
  std::vector<double> others(pieces.count(), 0);
  Observation seen;
  executor->run_once();  // warms up
  for (int run = 0; run < runs; ++run) {
    latencies.push_back(executor->run_once());
    const std::vector<PieceSpan> spans = executor->piece_spans();
    for (std::size_t p = 0; p < spans.size(); ++p)
      times[p].push_back(spans[p].end - spans[p].start);
    const std::vector<double> busy = others_busy(pieces, spans);
    for (std::size_t p = 0; p < spans.size(); ++p) others[p] += busy[p] / runs;
    const std::vector<Duration> waits = waits_in(profiled.graph(), pieces, spans);
    seen.waits.insert(seen.waits.end(), waits.begin(), waits.end());
  }
  seen.latency = estimate(latencies).median;
  const std::vector<double> border = border_bytes(profiled.graph(), pieces);
  const std::vector<Duration> sums = profiled_times(profiled, pieces);
  for (std::size_t p = 0; p < pieces.count(); ++p)
    seen.pieces.push_back({pieces.device[p], sums[p], Bytes{static_cast<std::int64_t>(border[p])},
                           estimate(times[p]).median, others[p]});
  return seen;
}

// The whole model on each device, alone and on all at once. A round is run between any two
// placements, so that all see the same machine, however its speed drifts.
class WholeRuns {
 public:
  WholeRuns(Runtime& runtime, const Model& model, std::span<const RealDevice> devices,
            const Problem& profiled)
      : executors_(devices.size()), alone_(devices.size()) {
    for (std::size_t d = 0; d < devices.size(); ++d) {
      const auto nodes = profiled.graph().nodes();
      const bool runs = std::all_of(nodes.begin(), nodes.end(), [&](NodeId node) {
        return profiled.time(node, static_cast<DeviceId>(d)) != kForever;
      });
      if (!runs) continue;
      executors_[d] = runtime.prepare_single(model, devices[d], 1);
      executors_[d]->run_once();  // warms up
      ++runners_;
    }
  }

  void round() {
    for (std::size_t d = 0; d < executors_.size(); ++d)
      if (executors_[d]) alone_[d].push_back(executors_[d]->run_once());
    if (runners_ < 2) return;
    std::vector<Duration> together(executors_.size());
    {
      std::vector<std::jthread> pool;
      for (std::size_t d = 0; d < executors_.size(); ++d)
        if (executors_[d]) pool.emplace_back([&, d] { together[d] = executors_[d]->run_once(); });
    }
    for (std::size_t d = 0; d < executors_.size(); ++d)
      if (executors_[d]) slowdowns_.emplace_back(together[d] / alone_[d].back());
  }

  // Of what was measured between two rounds that follow each other, counted from zero.
  double drift_after(std::size_t round) const {
    Duration now{0}, usual{0};
    for (std::size_t d = 0; d < executors_.size(); ++d) {
      if (!executors_[d]) continue;
      now += (alone_[d][round] + alone_[d][round + 1]) / 2;
      usual += alone(d);
    }
    return usual > Duration{0} ? now / usual : 1;
  }

  // kForever where the model does not run.
  Duration alone(std::size_t device) const {
    return alone_[device].empty() ? kForever : estimate(alone_[device]).median;
  }
  // The slowdown per further busy device.
  double contention() const {
    if (slowdowns_.empty()) return 0;
    return std::clamp((estimate(slowdowns_).median.count() - 1) / static_cast<double>(runners_ - 1),
                      0.0, 1.0);
  }

 private:
  std::vector<std::unique_ptr<Executor>> executors_;
  std::vector<std::vector<Duration>> alone_;
  std::vector<Duration> slowdowns_;  // as plain numbers
  std::size_t runners_ = 0;
};

// Scale by class: the whole model's time over its operators', the mean over the class's devices.
std::vector<std::optional<double>> scales_of(std::span<const std::size_t> class_of,
                                             const Problem& profiled, const WholeRuns& whole) {
  std::vector<std::optional<double>> scales(class_of.size());
  for (std::size_t c = 0; c < class_of.size(); ++c) {
    Duration measured{0}, operators{0};
    for (std::size_t d = 0; d < class_of.size(); ++d) {
      if (class_of[d] != c || whole.alone(d) == kForever) continue;
      measured += whole.alone(d);
      for (const NodeId node : profiled.graph().nodes())
        operators += profiled.time(node, static_cast<DeviceId>(d));
    }
    if (operators > Duration{0}) scales[c] = measured / operators;
  }
  return scales;
}

// The factor of what pieces cost beyond their operators under which the median placement is
// predicted right: pieces do not explain all that a cut costs, and one device, which has none, must
// stay right.
double extra_cost(const Problem& profiled, const Calibration& calibration,
                  std::span<const Placement> placements, std::span<const Observation> seen) {
  double low = 0.1, high = 10;
  for (int step = 0; step < 30; ++step) {
    const double factor = std::sqrt(low * high);
    Evaluator predict(piece_problem(profiled, with_extra_cost(calibration, factor)));
    std::vector<Duration> ratios;  // as plain numbers
    for (std::size_t i = 0; i < placements.size(); ++i)
      ratios.emplace_back(seen[i].latency / predict(placements[i]).value);
    (estimate(ratios).median.count() > 1 ? low : high) = factor;
  }
  return std::sqrt(low * high);
}

Observation without_drift(Observation seen, double drift) {
  seen.latency = seen.latency / drift;
  for (PieceSample& piece : seen.pieces) piece.measured = piece.measured / drift;
  return seen;
}

std::vector<std::size_t> classes_of(Runtime& runtime, std::span<const RealDevice> devices) {
  std::map<std::string, std::size_t> known;
  std::vector<std::size_t> class_of;
  for (const RealDevice& device : devices)
    class_of.push_back(known.try_emplace(runtime.device_class(device), known.size()).first->second);
  return class_of;
}

// A model's structure: what its operators are and how they hang together, but not its name.
std::uint64_t structure_of(const Graph& graph) {
  std::uint64_t hash = 0xcbf29ce484222325ULL;
  const auto mix = [&](std::string_view text) {
    for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3ULL;
  };
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

CalibrationRun calibrate_on(Runtime& runtime, const Model& model,
                            std::span<const RealDevice> devices, const Problem& profiled,
                            const CalibrationPlan& plan) {
  const std::size_t all = plan.fit + plan.check;
  std::vector<Placement> placements =
      sample_placements(profiled, all, Rng(plan.seed).split("calibration"));
  // Calibrated ranks are not known yet; predictions follow the order that ran.
  const Problem uncalibrated = piece_problem(profiled, no_calibration(devices.size()));
  for (Placement& placement : placements)
    placement = with_predicted_order(uncalibrated, std::move(placement));
  WholeRuns whole(runtime, model, devices, profiled);
  whole.round();
  std::vector<Observation> seen;
  for (const Placement& placement : placements) {
    if (plan.progress) plan.progress(seen.size(), all);
    seen.push_back(observe(runtime, model, devices, profiled, placement, plan.runs));
    whole.round();
  }
  std::vector<Observation> fitted;
  std::vector<PieceSample> pieces;
  std::vector<Duration> waits;
  for (std::size_t i = 0; i < plan.fit; ++i) {
    fitted.push_back(without_drift(seen[i], whole.drift_after(i)));
    pieces.insert(pieces.end(), fitted[i].pieces.begin(), fitted[i].pieces.end());
    waits.insert(waits.end(), fitted[i].waits.begin(), fitted[i].waits.end());
  }
  const std::vector<std::size_t> class_of = classes_of(runtime, devices);
  CalibrationRun run{.calibration = calibrate(class_of, scales_of(class_of, profiled, whole),
                                              pieces, waits, whole.contention())};
  if (plan.fit > 0)
    run.calibration = with_extra_cost(
        run.calibration,
        extra_cost(profiled, run.calibration, {placements.data(), plan.fit}, fitted));
  Evaluator predict(piece_problem(profiled, run.calibration));
  for (std::size_t i = 0; i < all; ++i)
    (i < plan.fit ? run.fitted : run.held_out)
        .push_back({placements[i], seen[i].latency, predict(placements[i]).value,
                    seen[i].pieces.size(), whole.drift_after(i)});
  return run;
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

namespace {

constexpr double kTrusted =
    1.25;  // predicted over measured, beyond which a profile is not believed

// The shortest of a few runs: what the machine can do when nothing disturbs it.
Duration shortest_run(Executor& executor) {
  constexpr int kRuns = 6;
  Duration shortest = executor.run_once();
  for (int run = 1; run < kRuns; ++run) shortest = std::min(shortest, executor.run_once());
  return shortest;
}

// Whether the profile takes the whole model, on the first device of each class, for much slower
// than it is now.
bool is_too_slow(Runtime& runtime, const Model& model, std::span<const RealDevice> devices,
                 const Problem& problem) {
  const std::vector<std::size_t> class_of = classes_of(runtime, devices);
  Evaluator predict(problem);
  for (std::size_t d = 0; d < devices.size(); ++d) {
    if (std::find(class_of.begin(), class_of.begin() + static_cast<std::ptrdiff_t>(d),
                  class_of[d]) != class_of.begin() + static_cast<std::ptrdiff_t>(d))
      continue;
    const Duration predicted =
        predict(std::vector(problem.node_count(), static_cast<DeviceId>(d))).value;
    if (predicted == kForever) continue;  // it cannot run all of the model
    const auto executor = runtime.prepare_single(model, devices[d], 1);
    if (predicted > kTrusted * shortest_run(*executor)) return true;
  }
  return false;
}

}  // namespace

ModelProfile profile_model(Runtime& runtime, const Model& model,
                           std::span<const RealDevice> devices, const Cluster& cluster,
                           RecordFile& cache, const ProfilePlan& plan) {
  OpTimes times = runtime.measure_ops(model, devices, cache);
  ModelProfile profile{profiled_problem(model, cluster, times), {}, std::move(times), {}, false};
  std::optional<Calibration> known;
  if (!plan.calibrate_again) known = remembered_calibration(runtime, model, devices, cache);
  if (known && profile.times.measured == 0 &&
      is_too_slow(runtime, model, devices, piece_problem(profile.profiled, *known))) {
    cache.forget();
    profile.times = runtime.measure_ops(model, devices, cache);
    profile.profiled = profiled_problem(model, cluster, profile.times);
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

double median_error(std::span<const Measured> measured) {
  if (measured.empty()) return 0;
  std::vector<double> errors;
  for (const Measured& each : measured) errors.push_back(each.error());
  std::sort(errors.begin(), errors.end());
  return (errors[(errors.size() - 1) / 2] + errors[errors.size() / 2]) / 2;
}

}  // namespace berth
