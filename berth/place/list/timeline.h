// The idle time of one device, for schedules built by insertion.
//
// Question: the earliest gap, at or after a ready time, that is long enough. Answer it fast even
// when a million short gaps lie between: gaps are kept in order in chunks of at most 128, each
// chunk knowing its longest gap, so that a search reads one number per chunk it can skip. A search
// costs O(log chunks + chunks skipped + 128), which stays far below a microsecond for the short
// distances that real schedules ask for.
//
// Gaps of length zero are kept too: between two runs that touch, a node that takes no time fits.
#pragma once

#include <cstddef>
#include <limits>
#include <vector>

#include "berth/base/units.h"

namespace berth {

class Timeline {
 public:
  struct Slot {
    Duration start{0};
    std::size_t chunk = 0, at = 0;  // the gap it lies in; valid until the next occupy()
  };

  Timeline();

  // The earliest slot of this length that starts at `ready` or later. Always exists: the last gap
  // never ends.
  Slot find(Duration ready, Duration length) const;
  void occupy(const Slot& slot, Duration length);

 private:
  static constexpr std::size_t kChunkSize = 128;
  static constexpr double kNever = std::numeric_limits<double>::infinity();
  struct Gap {
    double begin = 0, end = kNever;
  };
  void refresh(std::size_t chunk);

  std::vector<std::vector<Gap>> chunks_;
  std::vector<double> longest_;   // of each chunk
  std::vector<double> last_end_;  // of each chunk: the end of its last gap
};

}  // namespace berth
