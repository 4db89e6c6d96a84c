// What a placement costs: one door to all execution models.
//
// `simulate` gives the full story of one placement: value, schedule, loads, memory, crossings.
// `Evaluator` gives only the score, as fast as possible, for search: one instance per thread, no
// allocation after the first call. Both agree to the last bit on the value.
//
// Scores of placements that break a limit are not comparable by value alone: `overflow` is the
// sum over devices of max(0, peak / limit - 1), plus the pieces above the allowed number (call
// latency), plus 1 if pieces must be contiguous and are not, plus subgraphs / allowed - 1 if these
// are too many. Feasible means zero.
#pragma once

#include "berth/sim/held_weights.h"
#include "berth/sim/memory.h"
#include "berth/sim/simulators.h"

namespace berth {

struct Score {
  Duration value{0};
  double overflow = 0;

  bool feasible() const { return overflow == 0; }
  // Feasible before infeasible, less overflow before more, then the smaller value.
  friend bool operator<(const Score& a, const Score& b) {
    return a.overflow != b.overflow ? a.overflow < b.overflow : a.value < b.value;
  }
  friend bool operator==(const Score&, const Score&) = default;
};

// What the memory limits ask of a placement: nothing (no placement can reach them), only the sum
// of weights per device, or the full peak over time.
enum class MemoryRule : std::uint8_t { kNeverBinds, kWeightsOnly, kLifetimes };
MemoryRule memory_rule(const Problem& problem);

class Evaluator {
 public:
  explicit Evaluator(const Problem& problem);

  // Does not check support or constraints: the time of an unsupported node is infinite, and the
  // rest is the caller's duty (broken_rule in placement.h).
  Score operator()(const Placement& placement);
  Score operator()(std::span<const DeviceId> device_of);  // in priority order, one per node
  // Of the last call, by device in microseconds, where its value is the largest of these and no
  // limit counts: throughput in pieces. Else empty.
  std::span<const double> loads() const;

 private:
  Score score(std::span<const DeviceId> device_of, std::span<const NodeId> order);
  Score score_replicated(const Placement& placement);
  double held_overflow(std::span<const DeviceId> device_of);

  Problem problem_;
  MemoryRule rule_;
  NodeWeights weights_;
  Simulator simulator_;
};

// The full story of one placement.
struct Simulation {
  Duration value{0};
  Schedule schedule;  // of one sample; in throughput objectives the order of work within a period
  IdVector<DeviceId, Duration> load;      // time each device is busy per sample
  IdVector<ChannelId, Duration> traffic;  // time each channel is busy per sample
  std::vector<Duration> network;  // time each server's wire is busy; empty: no network counts
  IdVector<DeviceId, MemoryUse> memory;
  std::size_t subgraphs = 0;  // pieces as sim/pieces.h forms them
  std::size_t crossings = 0;  // (tensor, receiving device) pairs
  Bytes crossing_bytes{};
  std::optional<std::string> broken;  // the rule it breaks, memory included; empty: feasible
  // A node on a device that cannot run it leaves nothing to schedule: the value is kForever, loads
  // and memory are zero.

  bool feasible() const { return !broken; }
};

Simulation simulate(const Problem& problem, const Placement& placement);

}  // namespace berth
