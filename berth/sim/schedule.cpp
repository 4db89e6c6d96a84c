#include "berth/sim/schedule.h"

#include <algorithm>
#include <utility>

namespace berth {

void sort_by_start(Schedule& schedule) {
  std::stable_sort(schedule.runs.begin(), schedule.runs.end(), [](const Run& a, const Run& b) {
    return std::pair(a.start, a.device) < std::pair(b.start, b.device);
  });
  std::stable_sort(schedule.moves.begin(), schedule.moves.end(),
                   [](const Move& a, const Move& b) { return a.start < b.start; });
}

}  // namespace berth
