#include "berth/runtime/race.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace berth {

std::vector<RaceTime> race(std::span<const Competitor> competitors, const RacePlan& plan) {
  std::vector<std::vector<Duration>> latency(competitors.size()), period(competitors.size());
  const auto burst = [&](const Competitor& each) {
    const int requests = each.in_flight * plan.requests_per_slot;
    return each.throughput->run_many(requests, each.in_flight, each.in_flight) / requests;
  };
  for (const Competitor& each : competitors) {  // warm up
    if (each.latency != nullptr) each.latency->run_once();
    if (each.throughput != nullptr) each.throughput->run_many(each.in_flight, each.in_flight);
  }
  for (int round = 0; round < plan.rounds; ++round) {
    if (plan.progress) plan.progress(round, plan.rounds);
    for (std::size_t i = 0; i < competitors.size(); ++i) {
      for (int k = 0; k < plan.singles && competitors[i].latency != nullptr; ++k)
        latency[i].push_back(competitors[i].latency->run_once());
      if (competitors[i].throughput != nullptr) period[i].push_back(burst(competitors[i]));
    }
  }
  std::vector<RaceTime> times(competitors.size());
  for (std::size_t i = 0; i < competitors.size(); ++i) {
    if (!latency[i].empty()) times[i].latency = estimate(latency[i]);
    if (!period[i].empty()) times[i].period = estimate(period[i]);
  }
  return times;
}

double relative_error(const std::vector<Array>& outputs, const std::vector<Array>& expected) {
  constexpr double kNoMatch = std::numeric_limits<double>::infinity();
  if (outputs.size() != expected.size()) return kNoMatch;
  double worst = 0;
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    const Array &got = outputs[i], &want = expected[i];
    if (got.name != want.name || got.shape != want.shape || got.values.size() != want.values.size())
      return kNoMatch;
    double magnitude = 0, difference = 0;
    for (std::size_t j = 0; j < got.values.size(); ++j) {
      const double a = got.values[j], b = want.values[j];
      if (std::isfinite(a) != std::isfinite(b)) return kNoMatch;
      if (!std::isfinite(b)) {
        if (std::isnan(a) != std::isnan(b) || (!std::isnan(a) && a != b)) return kNoMatch;
        continue;
      }
      magnitude = std::max(magnitude, std::abs(b));
      difference = std::max(difference, std::abs(a - b));
    }
    if (difference > 0) worst = std::max(worst, magnitude > 0 ? difference / magnitude : kNoMatch);
  }
  return worst;
}

}  // namespace berth
