#include "bench/post/runs.h"

#include <cmath>
#include <cstdio>
#include <fstream>

#include <fmt/format.h>

#include "berth/base/error.h"
#include "berth/base/parallel.h"
#include "berth/base/text.h"
#include "berth/io/json_value.h"
#include "berth/io/json_writer.h"
#include "berth/modules/build_info.h"
#include "berth/place/run_placer.h"
#include "tests/support/naive_simulator.h"

namespace berth::bench {
namespace {

// Both simulators add the same times in another order.
constexpr double kTolerance = 1e-9;

std::string line_of(const RunKey& key, const Run& run) {
  return json_object([&](JsonWriter& json) {
    json.member("task", key.task);
    json.member("spec", key.spec);
    json.member("limit", key.limit);
    json.member("seed", key.seed);
    json.member("ms", run.ms);
    json.member("bound_ms", run.bound_ms);
    json.member("evaluations", run.evaluations);
    json.member("distinct", run.distinct);
    json.member("seconds", run.seconds);
    json.member("commit", run.commit);
  });
}

std::pair<RunKey, Run> read_line(const std::string& line, const std::string& where) {
  constexpr std::int64_t kMost = std::int64_t{1} << 53;
  RunKey key;
  Run run;
  const JsonDocument document(line, where);
  document.root().fields(
      required("task", into(key.task, &JsonValue::text)),
      required("spec", into(key.spec, &JsonValue::text)),
      required("limit", into(key.limit, integer_within(0, kMost))),
      required("seed", into(key.seed, integer_within(0, kMost))),
      required("ms", unless_null([&](const JsonValue& v) { run.ms = v.number(); })),
      required("bound_ms", unless_null([&](const JsonValue& v) { run.bound_ms = v.number(); })),
      required("evaluations", into(run.evaluations, integer_within(0, kMost))),
      required("distinct", unless_null([&](const JsonValue& v) {
                 run.distinct = static_cast<std::uint64_t>(v.integer());
               })),
      required("seconds", into(run.seconds, &JsonValue::number)),
      required("commit", into(run.commit, &JsonValue::text)));
  return {std::move(key), std::move(run)};
}

// Throws Error when the placement is worth something else than its method says.
void check(const Problem& problem, const Result& result) {
  if (const auto broken = naive::broken(problem, *result.placement))
    throw Error(fmt::format("{} on {}: {}", result.spec, problem.name(), *broken));
  const double value = naive::value(problem, *result.placement);
  const double claimed = result.simulation->value.count();
  if (!(std::abs(value - claimed) <= kTolerance * value))
    throw Error(fmt::format("{} on {}: {} us by itself, {} us played again", result.spec,
                            problem.name(), claimed, value));
}

// As the curve tells it, batch by batch.
std::optional<std::uint64_t> distinct_of(const Result& result) {
  std::optional<std::uint64_t> sum;
  for (const CurvePoint& point : result.curve)
    for (const auto& [name, value] : point.metrics)
      if (name == "distinct") sum = sum.value_or(0) + static_cast<std::uint64_t>(value);
  return sum;
}

Run run_once(const Problem& problem, const RunKey& key) {
  Budget budget({.seconds = {}, .evaluations = key.limit});
  const Result result = run_placer(key.spec, problem, key.seed, budget);
  Run run{.evaluations = result.evaluations,
          .distinct = distinct_of(result),
          .seconds = result.seconds,
          .commit = std::string(commit())};
  if (result.lower_bound) run.bound_ms = in_milliseconds(*result.lower_bound);
  if (!result.placement) return run;
  check(problem, result);
  run.ms = in_milliseconds(result.simulation->value);
  return run;
}

}  // namespace

Runs::Runs(std::filesystem::path file) : file_(std::move(file)) {
  std::ifstream stream(file_);
  std::string line;
  bool cut = false;  // a killed study's last line lacks its end
  for (int number = 1; std::getline(stream, line); ++number) {
    cut = stream.eof();
    if (!line.ends_with('}')) continue;
    auto [key, run] = read_line(line, fmt::format("{}:{}", file_.string(), number));
    runs_.insert_or_assign(std::move(key), std::move(run));
  }
  if (cut) std::ofstream(file_, std::ios::app) << '\n';
}

const Run* Runs::find(const RunKey& key) const {
  const auto found = runs_.find(key);
  return found == runs_.end() ? nullptr : &found->second;
}

void Runs::add(const RunKey& key, const Run& run) {
  const std::lock_guard lock(adding_);
  runs_.insert_or_assign(key, run);
  if (!file_.empty()) std::ofstream(file_, std::ios::app) << line_of(key, run) << std::flush;
  fmt::print(stderr, "{} {} limit {} seed {}: {} ms, {} s\n", key.task, key.spec, key.limit,
             key.seed, run.ms ? fmt::format("{:.3f}", *run.ms) : "none", seconds_text(run.seconds));
}

void run_missing(Runs& runs, const PostTask& task, const std::vector<RunKey>& wanted, int jobs) {
  std::vector<RunKey> missing;
  for (const RunKey& key : wanted)
    if (runs.find(key) == nullptr) missing.push_back(key);
  if (missing.empty()) return;
  const Problem problem = problem_of(task);
  for_each_item(missing.size(), thread_count(jobs), [&]() -> ItemWorker {
    return [&](std::size_t i) { runs.add(missing[i], run_once(problem, missing[i])); };
  });
}

}  // namespace berth::bench
