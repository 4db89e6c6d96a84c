#include "berth/runtime/compare_runs.h"

#include <algorithm>

#include <fmt/format.h>

#include "berth/base/error.h"
#include "berth/runtime/run_as.h"

namespace berth {
namespace {

constexpr int kSingles = 4;            // single requests per round
constexpr std::size_t kReference = 1;  // the way whose outputs are right: the first device alone
constexpr double kLargestErrorF32 = 1e-4, kLargestError16 = 5e-2;

WayToRun hetero(Runtime& runtime, const Model& model, std::span<const RealDevice> devices,
                const Placement& placement) {
  WayToRun way{
      .name = placement.replicas.empty() ? "HETERO, same placement" : "HETERO, no replicas",
      .in_flight = requests_in_flight(devices.size())};
  try {
    way.latency = runtime.prepare(model, devices, placement, ExecutorKind::kHetero);
    way.latency->run_once();
  } catch (const Error& error) {
    way.latency.reset();
    way.refused = error.what();
  }
  return way;
}

// The larger of both executors, over every request that was in flight.
double largest_error(const WayToRun& way, const std::vector<Array>& expected) {
  double error = relative_error(way.latency->outputs(), expected);
  if (way.throughput)
    for (const std::vector<Array>& outputs : way.throughput->outputs_by_slot())
      error = std::max(error, relative_error(outputs, expected));
  return error;
}

}  // namespace

std::vector<WayToRun> alternatives(Runtime& runtime, const Model& model,
                                   std::span<const RealDevice> devices,
                                   const Placement& placement) {
  std::vector<WayToRun> ways;
  for (const RealDevice& device : devices)
    ways.push_back({.name = device.name, .latency = runtime.prepare_single(model, device, 1)});
  const auto groups = std::ranges::count(devices, DeviceKind::kCpu, &RealDevice::kind);
  if (groups > 1) {
    RealDevice whole = runtime.devices(1).front();
    whole.precisions = devices.front().precisions;
    ways.push_back({.name = fmt::format("{}, all cores", whole.name),
                    .latency = runtime.prepare_single(model, whole, 1)});
    const int streams = static_cast<int>(groups);
    ways.push_back({.name = fmt::format("{}, {} streams", whole.name, streams),
                    .latency = runtime.prepare_single(model, whole, streams),
                    .in_flight = requests_in_flight(devices.size())});
  }
  if (devices.size() > 1) ways.push_back(hetero(runtime, model, devices, placement));
  return ways;
}

RunComparison compare_runs(std::vector<RealDevice> devices, std::span<const WayToRun> ways,
                           const RunPlan& plan) {
  const bool is_f32 = devices.front().precisions.front() == "f32";
  RunComparison result{.devices = std::move(devices),
                       .checked = plan.check,
                       .allowed_error = is_f32 ? kLargestErrorF32 : kLargestError16};
  std::vector<Competitor> competitors;
  for (const WayToRun& way : ways)
    competitors.push_back({way.name, way.latency.get(),
                           way.throughput ? way.throughput.get() : way.latency.get(),
                           way.in_flight});
  const std::vector<RaceTime> times =
      race(competitors, {.rounds = plan.rounds, .singles = kSingles, .progress = plan.progress});
  std::vector<Array> expected;
  if (plan.check) expected = ways[kReference].latency->outputs();
  for (std::size_t i = 0; i < ways.size(); ++i) {
    const WayToRun& way = ways[i];
    RunRow row{.name = way.name, .refused = way.refused, .times = times[i]};
    if (way.latency) row.pieces = way.latency->pieces().size();
    if (way.latency && plan.check && i != kReference)
      row.output_error = largest_error(way, expected);
    if (!way.refused.empty())
      result.warnings.push_back(fmt::format("{} did not run: {}", way.name, way.refused));
    result.rows.push_back(std::move(row));
  }
  return result;
}

}  // namespace berth
