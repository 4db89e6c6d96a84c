// Ways to run one model, measured side by side.
//
// A machine is never twice the same: other programs come and go, clocks change. So all competitors
// take turns, a few single requests for latency and one burst for throughput each, round after
// round, and are compared by medians with 95 % intervals (estimate.h).
#pragma once

#include <functional>

#include "berth/runtime/estimate.h"
#include "berth/runtime/runtime.h"

namespace berth {

struct Competitor {
  std::string name;
  // For single requests, and for bursts of `in_flight` at a time; null: not measured.
  Executor *latency = nullptr, *throughput = nullptr;
  int in_flight = 1;
};

// Of one request alone, and between two in a burst. No samples: not measured.
struct RaceTime {
  Estimate latency, period;
};

struct RacePlan {
  int rounds = 7;
  int singles = 1;            // single requests per round: they are short, and so noisy
  int requests_per_slot = 8;  // a burst has this many per request in flight, once it is full
  std::function<void(int done, int all)> progress{};
};

std::vector<RaceTime> race(std::span<const Competitor> competitors, const RacePlan& plan);

// The largest difference of any two values, relative to the largest magnitude of the array they are
// in; infinite when names, shapes or what is not a number differ.
double relative_error(const std::vector<Array>& outputs, const std::vector<Array>& expected);

}  // namespace berth
