#include "bench/hsdag/trial.h"

#include <algorithm>

#include <fmt/format.h>

#include "berth/base/text.h"
#include "berth/place/registry.h"

namespace berth::bench {
namespace {

bool is_random(const std::string& spec) {
  const std::string name = parse_spec(spec).name;
  return name == "random" || name == "anneal" || name == "local-search" ||
         find_placer(name).traits.growth == Growth::kTraining;
}

std::uint64_t median(std::vector<std::uint64_t> counts) {
  std::sort(counts.begin(), counts.end());
  return counts[counts.size() / 2];
}

}  // namespace

Estimate Trial::value() const {
  std::vector<Duration> values;
  for (const Result& result : results) values.push_back(result.simulation->value);
  return estimate(values);
}

std::optional<Estimate> Trial::own() const {
  std::vector<Duration> values;
  for (const Result& result : results)
    if (!result.curve.empty()) values.push_back(result.curve.back().own);
  return values.empty() ? std::nullopt : std::optional(estimate(values));
}

double Trial::seconds() const {
  double sum = 0;
  for (const Result& result : results) sum += result.seconds;
  return sum / static_cast<double>(results.size());
}

std::uint64_t Trial::evaluations() const {
  std::vector<std::uint64_t> counts;
  for (const Result& result : results) counts.push_back(result.evaluations);
  return median(std::move(counts));
}

std::optional<std::uint64_t> Trial::evaluations_until(Duration value) const {
  constexpr std::uint64_t kNever = ~std::uint64_t{0};
  std::vector<std::uint64_t> counts;
  for (const Result& result : results) {
    std::uint64_t reached = kNever;
    for (const CurvePoint& point : result.curve)
      if (point.best <= value) {
        reached = point.evaluations;
        break;
      }
    counts.push_back(reached);
  }
  const std::uint64_t middle = median(std::move(counts));
  return middle == kNever ? std::nullopt : std::optional(middle);
}

std::vector<Trial> run_in_turn(const std::vector<std::string>& specs, const Problem& problem,
                               int seeds, const Budget::Limits& limits) {
  std::vector<Trial> trials;
  for (const std::string& spec : specs) trials.push_back({spec, {}});
  for (int seed = 1; seed <= seeds; ++seed)
    for (Trial& trial : trials) {
      if (seed > 1 && !is_random(trial.spec)) continue;
      Budget budget(limits);
      Result result = run_placer(trial.spec, problem, static_cast<std::uint64_t>(seed), budget);
      if (result.placement) trial.results.push_back(std::move(result));
    }
  return trials;
}

Trial run_trial(const std::string& spec, const Problem& problem, int seeds,
                std::optional<std::uint64_t> evaluations) {
  return run_in_turn({spec}, problem, seeds, {.seconds = {}, .evaluations = evaluations}).front();
}

std::string value_text(const Trial& trial) {
  if (trial.empty()) return "none";
  const Estimate value = trial.value();
  if (value.high - value.low < 1e-6 * value.median) return milliseconds_text(value.median);
  return fmt::format("{} ({} to {})", milliseconds_text(value.median), milliseconds_text(value.low),
                     milliseconds_text(value.high));
}

}  // namespace berth::bench
