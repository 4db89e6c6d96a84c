#include "berth/runtime/calibration_run.h"

#include <algorithm>
#include <cassert>
#include <map>

#include "berth/base/parallel.h"
#include "berth/runtime/estimate.h"
#include "berth/runtime/model_problem.h"
#include "berth/runtime/run_as.h"
#include "berth/runtime/sample_placements.h"
#include "berth/sim/evaluate.h"
#include "berth/sim/piece_execution.h"

namespace berth {
namespace {

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
    const std::vector<double> busy = others_busy(pieces, spans);
    for (std::size_t p = 0; p < spans.size(); ++p) {
      times[p].push_back(spans[p].end - spans[p].start);
      others[p] += busy[p] / runs;
    }
    std::ranges::copy(waits_in(profiled.graph(), pieces, spans), std::back_inserter(seen.waits));
  }
  seen.latency = estimate(latencies).median;
  const std::vector<double> border = border_bytes(profiled.graph(), pieces);
  const std::vector<Duration> sums = profiled_times(profiled, pieces);
  for (std::size_t p = 0; p < pieces.count(); ++p)
    seen.pieces.push_back({pieces.device[p], sums[p], Bytes{static_cast<std::int64_t>(border[p])},
                           estimate(times[p]).median, others[p]});
  return seen;
}

// The whole model on each device that runs all of it, alone and on all at once. A round is run
// between any two placements, so that all see the same machine, however its speed drifts.
class WholeRuns {
 public:
  WholeRuns(Runtime& runtime, const Model& model, std::span<const RealDevice> devices,
            const Problem& profiled) {
    for (const DeviceId device : profiled.devices()) {
      Duration operators{0};
      for (const NodeId node : profiled.graph().nodes()) operators += profiled.time(node, device);
      if (operators == kForever) continue;
      runners_.push_back(
          {device, operators, runtime.prepare_single(model, devices[index(device)], 1)});
      runners_.back().executor->run_once();  // warms up
    }
  }

  void round() {
    for (Runner& runner : runners_) runner.alone.push_back(runner.executor->run_once());
    if (runners_.size() < 2) return;
    std::vector<Duration> together(runners_.size());
    on_threads(runners_.size(),
               [&](std::size_t i) { together[i] = runners_[i].executor->run_once(); });
    for (std::size_t i = 0; i < runners_.size(); ++i)
      slowdowns_.push_back(together[i] / runners_[i].alone.back());
  }

  // Of what was measured between two rounds that follow each other, counted from zero.
  double drift_after(std::size_t round) const {
    Duration now{0}, usual{0};
    for (const Runner& runner : runners_) {
      now += (runner.alone[round] + runner.alone[round + 1]) / 2;
      usual += estimate(runner.alone).median;
    }
    return usual > Duration{0} ? now / usual : 1;
  }

  // By class: the whole model's time over its operators', the mean over the class's devices.
  std::vector<std::optional<double>> scales(std::span<const std::size_t> class_of) const {
    std::vector<std::optional<double>> scales(class_of.size());
    for (std::size_t c = 0; c < class_of.size(); ++c) {
      Duration measured{0}, operators{0};
      for (const Runner& runner : runners_) {
        if (class_of[index(runner.device)] != c) continue;
        measured += estimate(runner.alone).median;
        operators += runner.operators;
      }
      if (operators > Duration{0}) scales[c] = measured / operators;
    }
    return scales;
  }

  // The slowdown per further busy device.
  double contention() const {
    if (slowdowns_.empty()) return 0;
    const double others = static_cast<double>(runners_.size() - 1);
    return std::clamp((median_interval(slowdowns_).median - 1) / others, 0.0, 1.0);
  }

 private:
  struct Runner {
    DeviceId device;
    Duration operators;  // the sum of their times
    std::unique_ptr<Executor> executor;
    std::vector<Duration> alone{};
  };
  std::vector<Runner> runners_;
  std::vector<double> slowdowns_;
};

// The factor of what pieces cost beyond their operators under which the median placement is
// predicted right: pieces do not explain all that a cut costs, and one device, which has none, must
// stay right.
double extra_cost(const Problem& profiled, const Calibration& calibration,
                  std::span<const Placement> placements, std::span<const Duration> latencies) {
  double low = 0.1, high = 10;
  for (int step = 0; step < 30; ++step) {
    const double factor = std::sqrt(low * high);
    Evaluator predict(piece_problem(profiled, with_extra_cost(calibration, factor)));
    std::vector<double> ratios;
    for (std::size_t i = 0; i < placements.size(); ++i)
      ratios.push_back(latencies[i] / predict(placements[i]).value);
    (median_interval(ratios).median > 1 ? low : high) = factor;
  }
  return std::sqrt(low * high);
}

}  // namespace

std::vector<std::size_t> classes_of(Runtime& runtime, std::span<const RealDevice> devices) {
  std::map<std::string, std::size_t> known;
  std::vector<std::size_t> class_of;
  for (const RealDevice& device : devices)
    class_of.push_back(known.try_emplace(runtime.device_class(device), known.size()).first->second);
  return class_of;
}

CalibrationRun calibrate_on(Runtime& runtime, const Model& model,
                            std::span<const RealDevice> devices, const Problem& profiled,
                            const CalibrationPlan& plan) {
  const std::size_t all = plan.fit + plan.check;
  // Calibrated ranks are not known yet; predictions follow the order that ran.
  const Problem uncalibrated = piece_problem(profiled, no_calibration(devices.size()));
  Rng rng = Rng(plan.seed).split("calibration");
  std::vector<Placement> placements;
  while (placements.size() < all)
    placements.push_back(with_predicted_order(uncalibrated, sample_placement(profiled, rng)));
  WholeRuns whole(runtime, model, devices, profiled);
  whole.round();
  std::vector<Observation> seen;
  for (const Placement& placement : placements) {
    if (plan.progress) plan.progress(seen.size(), all);
    seen.push_back(observe(runtime, model, devices, profiled, placement, plan.runs));
    whole.round();
  }
  std::vector<PieceSample> pieces;  // of those that are fitted, without drift
  std::vector<Duration> latencies, waits;
  for (std::size_t i = 0; i < plan.fit; ++i) {
    const double drift = whole.drift_after(i);
    latencies.push_back(seen[i].latency / drift);
    for (PieceSample piece : seen[i].pieces) {
      piece.measured /= drift;
      pieces.push_back(piece);
    }
    std::ranges::copy(seen[i].waits, std::back_inserter(waits));
  }
  const std::vector<std::size_t> class_of = classes_of(runtime, devices);
  CalibrationRun run{.calibration = calibrate(class_of, whole.scales(class_of), pieces, waits,
                                              whole.contention())};
  if (plan.fit > 0)
    run.calibration = with_extra_cost(
        run.calibration,
        extra_cost(profiled, run.calibration, {placements.data(), plan.fit}, latencies));
  Evaluator predict(piece_problem(profiled, run.calibration));
  for (std::size_t i = 0; i < all; ++i)
    (i < plan.fit ? run.fitted : run.held_out)
        .push_back({placements[i], seen[i].latency, predict(placements[i]).value,
                    seen[i].pieces.size(), whole.drift_after(i)});
  return run;
}

double median_error(std::span<const Measured> measured) {
  if (measured.empty()) return 0;
  std::vector<double> errors;
  for (const Measured& each : measured) errors.push_back(each.error());
  return median_interval(errors).median;
}

}  // namespace berth
