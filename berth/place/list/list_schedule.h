// A schedule under construction, as list schedulers build it: node by node, never moved again.
//
//   ready(v,d) = max over inputs t of v of ( finish(producer u) + transfer(t, P_u, d) )
// with links that are never contended. The placement carries the order of the runs, by start, then
// finish, then topological position: a topological order, because start(v) >= finish(u) for each
// edge (u,v), and in which each device finds its runs in the sequence built. The simulator, given
// links without channels, then repeats the schedule.
//
// place_in_order takes nodes in a given topological order, each on the device of least
//   start(v,d) + ahead(v,d)
// either in the earliest idle gap that is long enough or, without insertion, after all runs of the
// device. With ahead = p it is the device where the node finishes first (HEFT, greedy); with the
// tails of search/path_times.h it also counts what is left to do (PEFT). Sums that differ by less
// than a 1e-12th are equal (rounding must not choose a device), and of equal ones the first device
// is taken. O(E D + searches for gaps).
//
// Topcuoglu, Hariri and Wu, Performance-Effective and Low-Complexity Task Scheduling for
// Heterogeneous Computing, IEEE TPDS 2002.
#pragma once

#include "berth/search/budget.h"
#include "berth/search/outcome.h"
#include "berth/search/path_times.h"
#include "berth/transform/contract.h"

namespace berth {

class ListSchedule {
 public:
  explicit ListSchedule(const Problem& problem);

  // All producers of the node's inputs must have been run.
  Duration ready(NodeId node, DeviceId device) const;
  void run(NodeId node, DeviceId device, Duration start);
  DeviceId device_of(NodeId node) const { return device_of_[node]; }
  Duration finish(NodeId node) const { return finish_[node]; }

  // Of all nodes; all must have been run.
  Placement placement() const;

 private:
  Problem problem_;
  IdVector<NodeId, DeviceId> device_of_;
  IdVector<NodeId, Duration> start_, finish_;
};

// Whether a time a is less than b by more than rounding.
inline bool clearly_less(Duration a, Duration b) { return a < b * (1 - 1e-12); }

// The coarse outcome, its placement told for the fine nodes.
Outcome expand(const Coarsening& coarsening, Outcome coarse);

// Without tails every node goes where it finishes first.
Outcome place_in_order(const Problem& problem, std::span<const NodeId> order, bool insertion,
                       const Budget& budget, const PathTimes* tails = nullptr);

// What a list scheduler returns when the user stops it: half a schedule is no placement.
Outcome stopped_outcome();

}  // namespace berth
