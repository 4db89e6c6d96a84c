// Real runs of placements: how many a minute, how right, how well predicted.
//
//   bench_runtime [speed|check|predict|cuts|streams] [--placements N] [MODEL...]
//
//   speed    a search's view: placements that differ from the one before by a move, each cut,
//            compiled and run once; with berth's compile cache, and by a fresh HETERO compile each
//   check    outputs of random placements against one device, HETERO's refusals counted; every
//            second one divides operators that berth itself would keep together
//   predict  calibration on 20 placements, its error on others
//   cuts     pipelines of two devices with one cut, at N places about the middle of the work,
//            against OpenVINO's two streams on the same cores: the best that a placement can reach
//   streams  the devices sharing all of the model, against OpenVINO's streams on the same cores and
//            against one core: N rounds in turn, ratios within a round
// Without a word the first three run, on resnet-50, inception-v3 and bert-base of the zoo.
#include "berth/runtime/runtime.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>

#include <fmt/format.h>

#include "berth/base/error.h"
#include "berth/base/median_interval.h"
#include "berth/base/random.h"
#include "berth/runtime/profile.h"
#include "berth/runtime/race.h"
#include "berth/runtime/sample_placements.h"

namespace berth {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

struct Bench {
  Runtime& runtime;
  std::vector<RealDevice> devices;
  std::unique_ptr<Model> model;
  Problem problem;  // without times: for its units

  std::unique_ptr<Executor> prepare(const Placement& placement, ExecutorKind kind) const {
    return runtime.prepare(*model, devices, placement, kind);
  }
  // With the times of its operators, measured now.
  Problem profiled() const {
    RecordFile nowhere({});
    return profiled_problem(*model, problem.cluster(),
                            runtime.measure_ops(*model, devices, nowhere));
  }
};

Bench open(const std::string& spec) {
  Runtime& runtime = openvino_runtime();
  std::vector<RealDevice> devices = runtime.devices();
  std::unique_ptr<Model> model = runtime.open({.spec = spec});
  std::vector<Device> plain;
  for (const RealDevice& device : devices)
    plain.push_back({.name = device.name, .kind = device.kind});
  Problem problem(model->name(), model->graph(), Cluster(std::move(plain)),
                  {NodeTimes(model->graph().node_count(), devices.size()), {}});
  return {runtime, std::move(devices), std::move(model), std::move(problem)};
}

// Each differs from the one before in a run of neighbouring units.
std::vector<Placement> walk(const Problem& problem, std::size_t count) {
  Rng rng(1);
  std::vector<Placement> placements{sample_placement(problem, rng)};
  while (placements.size() < count) {
    IdVector<UnitId, DeviceId> device_of = to_units(problem, placements.back());
    const std::size_t first = rng.below(problem.unit_count());
    const std::size_t last = std::min(first + 1 + rng.below(4), problem.unit_count());
    const DeviceId device = static_cast<DeviceId>(rng.below(problem.device_count()));
    for (std::size_t unit = first; unit < last; ++unit)
      device_of[static_cast<UnitId>(unit)] = device;
    placements.push_back(from_units(problem, device_of));
  }
  return placements;
}

void measure_speed(const Bench& bench, std::size_t count) {
  const std::vector<Placement> placements = walk(bench.problem, count);
  double ours = 0, theirs = 0;
  std::size_t pieces = 0, cached = 0, evaluated = 0, refused = 0;
  for (const Placement& placement : placements) {  // in turn, so that noise meets both
    Clock::time_point start = Clock::now();
    const auto executor = bench.prepare(placement, ExecutorKind::kConcurrent);
    executor->run_once();
    ours += seconds_since(start);
    for (const RunningPiece& piece : executor->pieces()) {
      ++pieces;
      cached += piece.from_cache;
    }
    start = Clock::now();
    try {
      bench.prepare(placement, ExecutorKind::kHetero)->run_once();
      theirs += seconds_since(start);
      ++evaluated;
    } catch (const Error&) {
      ++refused;
    }
  }
  const double per_minute = 60.0 * static_cast<double>(count) / ours;
  const double hetero_per_minute = 60.0 * static_cast<double>(evaluated) / theirs;
  fmt::print(
      "speed    {:14} {:7.1f} placements/min; fresh HETERO {:6.1f} ({:.1f}x); "
      "{} of {} pieces cached; HETERO refused {}\n",
      bench.model->name(), per_minute, hetero_per_minute, per_minute / hetero_per_minute, cached,
      pieces, refused);
}

// Runs of neighbouring operators on random devices, whatever they should share a device with.
Placement loose_placement(const Problem& problem, Rng& rng) {
  Placement placement = on_one_device(problem, DeviceId{0});
  const double chance = std::pow(static_cast<double>(problem.node_count()), -rng.uniform());
  DeviceId present{0};
  for (const NodeId node : problem.graph().topological_order()) {
    if (rng.uniform() < chance) present = static_cast<DeviceId>(rng.below(problem.device_count()));
    placement.device_of[node] = present;
  }
  return placement;
}

void check_outputs(const Bench& bench, std::size_t count) {
  const auto single = bench.runtime.prepare_single(*bench.model, bench.devices.front(), 1);
  single->run_once();
  const std::vector<Array> expected = single->outputs();
  double worst = 0, worst_refused = 0;
  std::size_t refused = 0;
  Rng rng(2);
  for (std::size_t i = 0; i < count; ++i) {
    const Placement placement =
        i % 2 == 0 ? sample_placement(bench.problem, rng) : loose_placement(bench.problem, rng);
    const auto executor = bench.prepare(placement, ExecutorKind::kConcurrent);
    executor->run_once();
    const double error = relative_error(executor->outputs(), expected);
    worst = std::max(worst, error);
    try {
      bench.prepare(placement, ExecutorKind::kHetero);
    } catch (const Error& refusal) {
      if (refused++ == 0) fmt::print("         HETERO: {}\n", refusal.what());
      worst_refused = std::max(worst_refused, error);
    }
  }
  fmt::print(
      "check    {:14} {} random placements: largest relative error {:.1e}; HETERO refuses {} "
      "of them ({:.1e})\n",
      bench.model->name(), count, worst, refused, worst_refused);
  if (worst > 1e-4) throw Error("outputs differ");
}

void measure_prediction(const Bench& bench, std::size_t count) {
  const Problem profiled = bench.profiled();
  const CalibrationRun run = calibrate_on(bench.runtime, *bench.model, bench.devices, profiled,
                                          {.fit = 20, .check = count, .runs = 7, .seed = 3});
  if (std::getenv("BERTH_BENCH_DETAILS") != nullptr) {
    const Calibration& found = run.calibration;
    fmt::print(
        "         scale {:.3f}, {:.0f} us a piece, {:.5f} us a byte, hand-over {:.1f} us, "
        "contention {:.3f}\n",
        found.devices[0].scale, found.devices[0].overhead.count(), found.devices[0].micros_per_byte,
        found.hand_over.count(), found.contention);
    for (const Measured& each : run.held_out)
      fmt::print("         {:4} pieces: measured {:8.2f} ms, predicted {:8.2f}; drift {:.2f}\n",
                 each.pieces, each.measured.count() / 1e3, each.predicted.count() / 1e3,
                 each.drift);
  }
  std::vector<double> errors, without_drift;
  for (const Measured& each : run.held_out) {
    errors.push_back(each.error());
    without_drift.push_back(each.error_without_drift());
  }
  std::sort(errors.begin(), errors.end());
  std::sort(without_drift.begin(), without_drift.end());
  fmt::print(
      "predict  {:14} {} placements not fitted: median error {:.1f} %, nine of ten below "
      "{:.1f} %; with the machine's drift taken out {:.1f} % and {:.1f} %\n",
      bench.model->name(), count, 100 * median_error(run.held_out),
      100 * errors[errors.size() * 9 / 10], 100 * without_drift[without_drift.size() / 2],
      100 * without_drift[without_drift.size() * 9 / 10]);
}

// Everything before a place in topological order on the first device, the rest on the second.
Placement cut_at(const Problem& problem, double share) {
  Duration all{0}, before{0};
  for (const NodeId node : problem.graph().nodes()) all += problem.time(node, DeviceId{0});
  IdVector<UnitId, DeviceId> device_of(problem.unit_count(), DeviceId{1});
  IdVector<UnitId, bool> seen(problem.unit_count(), false);
  for (const NodeId node : problem.graph().topological_order()) {
    const UnitId unit = problem.unit_of(node);
    if (!seen[unit] && before < share * all) device_of[unit] = DeviceId{0};
    seen[unit] = true;
    before += problem.time(node, DeviceId{0});
  }
  return from_units(problem, device_of);
}

void measure_cuts(const Bench& bench, std::size_t count) {
  const Problem profiled = bench.profiled();
  const RealDevice whole = bench.runtime.devices(1).front();
  const auto streams = bench.runtime.prepare_single(*bench.model, whole, 2);
  std::vector<std::unique_ptr<Executor>> pipelines;
  std::vector<Competitor> competitors{{"2 streams", nullptr, streams.get(), 4}};
  for (std::size_t i = 0; i < count; ++i) {
    const double share = 0.4 + 0.2 * static_cast<double>(i) /
                                   static_cast<double>(std::max<std::size_t>(1, count - 1));
    pipelines.push_back(bench.prepare(cut_at(profiled, share), ExecutorKind::kPipeline));
    competitors.push_back(
        {fmt::format("cut at {:.2f}, {} pieces", share, pipelines.back()->pieces().size()), nullptr,
         pipelines.back().get(), 4});
  }
  const std::vector<RaceTime> measured = race(competitors, {.rounds = 5, .requests_per_slot = 4});
  for (std::size_t i = 0; i < competitors.size(); ++i)
    fmt::print("cuts     {:14} {:28} {:7.2f} ms [{:.2f}, {:.2f}]: {:.3f} x two streams\n",
               bench.model->name(), competitors[i].name, measured[i].period.median.count() / 1e3,
               measured[i].period.low.count() / 1e3, measured[i].period.high.count() / 1e3,
               measured[0].period.median / measured[i].period.median);
}

// How many times as fast as the other, within a round, with a 95 % interval.
std::string ratio_text(const std::vector<Duration>& ours, const std::vector<Duration>& theirs) {
  std::vector<double> ratios;
  for (std::size_t i = 0; i < ours.size(); ++i) ratios.push_back(theirs[i] / ours[i]);
  const MedianInterval interval = median_interval(ratios);
  return fmt::format("{:.3f} [{:.3f}, {:.3f}]", interval.median, interval.low, interval.high);
}

void measure_streams(const Bench& bench, std::size_t rounds) {
  const int count = static_cast<int>(bench.devices.size()), in_flight = 2 * count;
  Placement shared = on_one_device(bench.problem, DeviceId{0});
  for (const DeviceId device : bench.problem.devices())
    if (device != DeviceId{0}) shared.replicas.push_back({device, DeviceId{0}});
  const auto ours = bench.prepare(shared, ExecutorKind::kPipeline);
  const auto streams =
      bench.runtime.prepare_single(*bench.model, bench.runtime.devices(1).front(), count);
  const auto single = bench.runtime.prepare_single(*bench.model, bench.devices.front(), 1);
  const Competitor competitors[] = {{"shared", nullptr, ours.get(), in_flight},
                                    {"streams", nullptr, streams.get(), in_flight},
                                    {"one core", nullptr, single.get(), 1}};
  std::vector<std::vector<Duration>> periods(std::size(competitors));
  for (std::size_t round = 0; round < rounds; ++round) {
    const std::vector<RaceTime> times = race(competitors, {.rounds = 1, .requests_per_slot = 6});
    for (std::size_t i = 0; i < times.size(); ++i) periods[i].push_back(times[i].period.median);
  }
  fmt::print(
      "streams  {:14} {:.2f} ms a sample; {} times as fast as {} streams, {} times as one core\n",
      bench.model->name(), estimate(periods[0]).median.count() / 1e3,
      ratio_text(periods[0], periods[1]), count, ratio_text(periods[0], periods[2]));
}

int run(std::vector<std::string> words) {
  constexpr const char* kQuestions[] = {"speed", "check", "predict", "cuts", "streams"};
  std::string what;
  std::size_t count = 30;
  std::vector<std::string> models;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (std::ranges::find(kQuestions, words[i]) != std::end(kQuestions))
      what = words[i];
    else if (words[i] == "--placements" && i + 1 < words.size())
      count = std::stoul(words[++i]);
    else
      models.push_back(words[i]);
  }
  if (models.empty()) models = {"zoo:resnet-50", "zoo:inception-v3", "zoo:bert-base"};
  for (const std::string& spec : models) {
    const Bench bench = open(spec);
    if (what.empty() || what == "speed") measure_speed(bench, count);
    if (what.empty() || what == "check") check_outputs(bench, count);
    if (what.empty() || what == "predict") measure_prediction(bench, count);
    if (what == "cuts") measure_cuts(bench, count);
    if (what == "streams") measure_streams(bench, count);
    std::fflush(stdout);
  }
  return 0;
}

}  // namespace
}  // namespace berth

int main(int count, char** words) {
  try {
    return berth::run({words + 1, words + count});
  } catch (const std::exception& error) {
    fmt::print(stderr, "bench_runtime: {}\n", error.what());
    return 1;
  }
}
