// Who ran what when, and what moved: the simulator's answer, a plain value.
#pragma once

#include <algorithm>

#include "berth/base/ids.h"
#include "berth/base/units.h"

namespace berth {

struct Run {
  NodeId node;
  DeviceId device;
  Duration start, finish;
  friend bool operator==(const Run&, const Run&) = default;
};

struct Move {
  TensorId tensor;
  DeviceId from, to;
  Duration start, finish;
  friend bool operator==(const Move&, const Move&) = default;
};

struct Schedule {
  std::vector<Run> runs;    // by start, then device
  std::vector<Move> moves;  // by start
  Duration makespan{0};     // end of the last run or move that anything waits for
  friend bool operator==(const Schedule&, const Schedule&) = default;
};

// Brings runs and moves into their order; what is recorded first stays first among equals.
inline void sort_by_start(Schedule& schedule) {
  std::ranges::stable_sort(schedule.runs, {},
                           [](const Run& run) { return std::pair(run.start, run.device); });
  std::ranges::stable_sort(schedule.moves, {}, &Move::start);
}

}  // namespace berth
