// Lower bounds that hold for every placement, cheap enough for every run.
//
//   path   the longest path, each node of it on its best device and paying for the transfers
//          between them (latency): heads and tails of path_times.h. O(E D^2); without transfers
//          where that is too much.
//          In the call model a crossing costs a write, a read, or both, as the ends require;
//   work   the least T at which the cluster can do all the work, devices being unequal and the
//          work divisible:  for any weights y >= 0 with sum 1,
//            sum over units of min over allowed d of y_d p(unit,d)  <=  T
//          maximised over y by exponentiated-gradient ascent; every iterate is a valid bound
//          (concurrent, pipeline, call throughput). In pieces, where a device is slowed by c times
//          the work of all others, y_d becomes c + (1 - c) y_d: a bound on the mean of the slowed
//          loads. It holds when devices share a unit by dividing the samples, too;
//   unit   the unit that takes longest even where it is fastest, where replicas cannot share it;
//   sum    every unit on its fastest device (sequential: nothing overlaps).
// Call latency: CPU cores are unlimited there, so only `path` holds.
#pragma once

#include "berth/problem.h"

namespace berth {

struct LowerBound {
  Duration value{0};
  std::string how;  // "path", "work", ...
};

// `replicated`: of placements with replicas, too; those of pieces may always have them.
LowerBound lower_bound(const Problem& problem, bool replicated = false);

// The bound `work` of times by item and device (item-major, infinite where an item may not be), in
// microseconds, and the weights y that give it; `contention` is c of the header.
struct DivisibleWork {
  double value = 0;
  std::vector<double> weight;  // by device
};
DivisibleWork divisible_work(const std::vector<double>& times, std::size_t devices,
                             double contention = 0);

}  // namespace berth
