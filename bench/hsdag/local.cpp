#include "bench/hsdag/local.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <memory>
#include <vector>

#include <fmt/format.h>

#include "berth/base/error.h"
#include "berth/base/median_interval.h"
#include "berth/base/options.h"
#include "berth/base/text.h"
#include "berth/io/record_file.h"
#include "berth/place/run_placer.h"
#include "berth/runtime/estimate.h"
#include "berth/runtime/local_cluster.h"
#include "berth/runtime/model_problem.h"
#include "berth/runtime/placement_meter.h"
#include "berth/runtime/profile.h"
#include "berth/runtime/run_as.h"
#include "berth/runtime/runtime.h"

namespace berth::bench {
namespace {

constexpr int kRounds = 15;  // forward and back: 30 requests of each row

struct Row {
  std::string name;
  Result result;
  std::unique_ptr<Executor> executor;
  std::vector<Duration> times;
};

Result best_heuristic(const Problem& problem) {
  std::optional<Result> best;
  for (const char* spec : {"heft", "etf", "greedy", "m-etf", "m-sct", "local-search"}) {
    Result result = run_placer(spec, problem);
    if (result.placement && (!best || result.simulation->value < best->simulation->value))
      best = std::move(result);
  }
  if (!best) throw Error("no heuristic finds a placement");
  return std::move(*best);
}

void take_turns(std::vector<Row>& rows) {
  for (Row& row : rows) row.executor->run_once();  // warm
  for (int round = 0; round < kRounds; ++round) {
    for (Row& row : rows) row.times.push_back(row.executor->run_once());
    for (auto row = rows.rbegin(); row != rows.rend(); ++row)
      row->times.push_back(row->executor->run_once());
  }
}

std::string ratio_text(const Row& row, const Row& first) {
  std::vector<double> logs;
  for (std::size_t i = 0; i < row.times.size(); ++i)
    logs.push_back(std::log(row.times[i] / first.times[i]));
  const MedianInterval ratio = median_interval(logs);
  return fmt::format("{:.3f} ({:.3f} to {:.3f})", std::exp(ratio.median), std::exp(ratio.low),
                     std::exp(ratio.high));
}

}  // namespace

void print_local(const std::string& spec, std::optional<int> updates) {
  Runtime& runtime = openvino_runtime();
  const std::vector<RealDevice> devices = runtime.devices();
  const std::shared_ptr<const Model> model = runtime.open({.spec = spec});
  RecordFile nowhere({});  // measured now, not remembered from another day
  const Cluster cluster = local_cluster(runtime, devices, nowhere);
  const ModelProfile profile = profile_model(runtime, *model, devices, cluster, nowhere, {});
  const Problem problem = piece_problem(profile.profiled, profile.calibration);

  std::vector<Row> rows;
  for (const RealDevice& device : devices) {
    const std::string method = fmt::format("single-device(device={})", device.name);
    rows.push_back({fmt::format("`{}` alone", device.name), run_placer(method, problem), {}, {}});
  }
  rows.push_back({"`hetero-default`", run_placer("hetero-default", problem), {}, {}});
  Result heuristic = best_heuristic(problem);
  const std::string name = fmt::format("best heuristic, `{}`", parse_spec(heuristic.spec).name);
  rows.push_back({name, std::move(heuristic), {}, {}});
  rows.push_back({"`sequential-cut`", run_placer("sequential-cut", problem), {}, {}});
  const std::string learned = fmt::format("hsdag(reward=measured,measurements=100{})",
                                          updates ? fmt::format(",updates={}", *updates) : "");
  Budget budget;
  budget.set_meter(placement_meter(runtime, model, devices, problem));
  rows.push_back({fmt::format("`{}`", learned), run_placer(learned, problem, 1, budget), {}, {}});
  std::erase_if(rows, [](const Row& row) { return !row.result.placement; });
  if (rows.empty()) throw Error(fmt::format("{}: nothing on this machine runs it", spec));

  for (Row& row : rows)
    row.executor =
        runtime.prepare(*model, devices, with_predicted_order(problem, *row.result.placement),
                        ExecutorKind::kConcurrent);
  take_turns(rows);
  fmt::print("\n**Table 2, {}, on this machine.** {} requests of each in turn\n\n", model->name(),
             2 * kRounds);
  fmt::print(
      "| method | ms | ratio to the first row | predicted | pieces | search, s | measurements |\n"
      "|---|---|---|---|---|---|---|\n");
  for (const Row& row : rows) {
    const Estimate time = estimate(row.times);
    fmt::print("| {} | {} ({} to {}) | {} | {} | {} | {} | {} |\n", row.name,
               milliseconds_text(time.median), milliseconds_text(time.low),
               milliseconds_text(time.high), ratio_text(row, rows.front()),
               milliseconds_text(row.result.simulation->value), row.executor->pieces().size(),
               seconds_text(row.result.seconds), row.result.measurements);
  }
  std::fflush(stdout);
}

}  // namespace berth::bench
