#include "berth/runtime/profile.h"

#include <algorithm>
#include <cassert>
#include <charconv>
#include <limits>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "berth/graph/union_find.h"
#include "berth/runtime/estimate.h"
#include "berth/runtime/piece_problem.h"
#include "berth/runtime/sample_placements.h"
#include "berth/sim/evaluate.h"
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

Observation observe(Runtime& runtime, const Model& model, std::span<const RealDevice> devices,
                    const Problem& profiled, const Placement& placement, int runs) {
  const auto executor = runtime.prepare(model, devices, placement, ExecutorKind::kConcurrent);
  const Pieces pieces = prompt_pieces(profiled.graph(), placement.device_of.items());
  assert(executor->pieces().size() == pieces.count());
  std::vector<Duration> latencies;
  std::vector<std::vector<Duration>> times(pieces.count());
  Observation seen;
  executor->run_once();  // warms up
  for (int run = 0; run < runs; ++run) {
    latencies.push_back(executor->run_once());
    const std::vector<PieceSpan> spans = executor->piece_spans();
    for (std::size_t p = 0; p < spans.size(); ++p)
      times[p].push_back(spans[p].end - spans[p].start);
    const std::vector<Duration> waits = waits_in(profiled.graph(), pieces, spans);
    seen.waits.insert(seen.waits.end(), waits.begin(), waits.end());
  }
  seen.latency = estimate(latencies).median;
  const std::vector<Bytes> border = border_bytes(profiled.graph(), pieces);
  const std::vector<Duration> sums = profiled_times(profiled, pieces);
  for (std::size_t p = 0; p < pieces.count(); ++p)
    seen.pieces.push_back({pieces.device[p], sums[p], border[p], estimate(times[p]).median});
  return seen;
}

// The factor under which simulating the calibrated problem comes nearest to what was measured, by the
// median error; one of a few, as the fit is rough anyway.
double price_of_crossings(const Problem& profiled, std::span<const Placement> placements,
                          std::span<const Observation> seen, Calibration calibration) {
  double best_factor = 1, best_error = std::numeric_limits<double>::infinity();
  for (const double factor : {1.0, 1.5, 2.0, 3.0, 4.0, 6.0, 8.0}) {
    calibration.crossing = factor;
    const Problem problem = calibrated(profiled, calibration);
    std::vector<Measured> guesses;
    for (std::size_t i = 0; i < placements.size(); ++i)
      guesses.push_back({{}, seen[i].latency, Evaluator(problem)(placements[i]).value, 0});
    const double error = median_error(guesses);
    if (error < best_error) best_factor = factor;
    best_error = std::min(best_error, error);
  }
  return best_factor;
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
  std::string key = fmt::format("calibration|{}|{:016x}", runtime.version(),
                                structure_of(model.graph()));
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
  const std::vector<Placement> placements =
      sample_placements(profiled, all, Rng(plan.seed).split("calibration"));
  std::vector<Observation> seen;
  for (const Placement& placement : placements) {
    if (plan.progress) plan.progress(seen.size(), all);
    seen.push_back(observe(runtime, model, devices, profiled, placement, plan.runs));
  }
  std::vector<PieceSample> pieces;
  std::vector<Duration> waits;
  for (std::size_t i = 0; i < plan.fit; ++i) {
    pieces.insert(pieces.end(), seen[i].pieces.begin(), seen[i].pieces.end());
    waits.insert(waits.end(), seen[i].waits.begin(), seen[i].waits.end());
  }
  CalibrationRun run{.calibration = calibrate(devices.size(), pieces, waits)};
  std::vector<Duration> ratios;  // as plain numbers
  for (std::size_t i = 0; i < plan.fit; ++i)
    ratios.emplace_back(seen[i].latency /
                        predict(profiled, placements[i], run.calibration, Objective::kLatency));
  if (!ratios.empty()) run.calibration.stretch = estimate(ratios).median.count();
  run.calibration.crossing = price_of_crossings(
      profiled, {placements.data(), plan.fit}, {seen.data(), plan.fit}, run.calibration);
  for (std::size_t i = 0; i < all; ++i)
    (i < plan.fit ? run.fitted : run.held_out)
        .push_back({placements[i], seen[i].latency,
                    predict(profiled, placements[i], run.calibration, Objective::kLatency),
                    seen[i].pieces.size()});
  return run;
}

std::optional<Calibration> remembered_calibration(Runtime& runtime, const Model& model,
                                                  std::span<const RealDevice> devices,
                                                  const RecordFile& cache) {
  const auto record = cache.find(calibration_key(runtime, model, devices));
  if (!record) return std::nullopt;
  std::vector<double> numbers;
  const char* at = record->data();
  const char* const end = at + record->size();
  while (at < end) {
    double number = 0;
    const auto [after, error] = std::from_chars(at, end, number);
    if (error != std::errc()) return std::nullopt;
    numbers.push_back(number);
    at = after + 1;
  }
  if (numbers.size() != 3 + 3 * devices.size()) return std::nullopt;
  Calibration calibration{
      .devices = {}, .hand_over = Duration{numbers[0]}, .stretch = numbers[1], .crossing = numbers[2]};
  for (std::size_t d = 0; d < devices.size(); ++d)
    calibration.devices.push_back(
        {numbers[3 + 3 * d], Duration{numbers[4 + 3 * d]}, numbers[5 + 3 * d]});
  return calibration;
}

void remember_calibration(Runtime& runtime, const Model& model,
                          std::span<const RealDevice> devices, const Calibration& calibration,
                          RecordFile& cache) {
  std::string record =
      fmt::format("{} {} {}", calibration.hand_over.count(), calibration.stretch,
                  calibration.crossing);
  for (const DeviceFit& fit : calibration.devices)
    record +=
        fmt::format(" {} {} {}", fit.scale, fit.overhead.count(), fit.micros_per_byte);
  cache.add(calibration_key(runtime, model, devices), record);
}

double median_error(std::span<const Measured> measured) {
  if (measured.empty()) return 0;
  std::vector<double> errors;
  for (const Measured& each : measured) errors.push_back(each.error());
  std::sort(errors.begin(), errors.end());
  return (errors[(errors.size() - 1) / 2] + errors[errors.size() / 2]) / 2;
}

}  // namespace berth
