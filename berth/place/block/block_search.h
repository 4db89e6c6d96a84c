// The least time through a block from one device to another, by a search level by level.
//
// A schedule is built in the order of its starts: a node whose inputs are there is appended on some
// device, as early as it can start, but not before the last one. So every schedule worth having is
// built, once. A state is what the rest depends on:
//   the set of appended nodes; t, the last start; when each device is free; the device and the end
//   of each appended node that is still needed
// Of two states with the same set and the same devices, A is as good as B if
//   t_A <= t_B,  free_A(d) <= max(free_B(d), t_B),  end_A(u) <= max(end_B(u), t_B - transfer of u)
// because B starts nothing before t_B. A state is worth going on from if its bound is below the
// best schedule: the tails of the nodes that come next, and the work that is left, divisible, on
// devices weighed by y:
//   t >= ( sum_d y_d max(free_d, t) + sum over nodes left of min_d y_d p(v,d) ) / sum_d y_d
//
// At most `width` states of a level are kept, of least bound. What was left out bounds the result:
//   lower = min(best schedule, least bound of what was left out)
// so that every width gives both sides, and a search that left nothing out the optimum.
//
// O(levels * width * (nodes to choose from) * D^2).
#pragma once

#include <limits>
#include <vector>

#include "berth/place/block/block.h"
#include "berth/search/budget.h"

namespace berth {

struct BlockSchedule {
  struct Step {
    Block::Index node;
    std::uint32_t device;
  };
  double lower = 0;                                        // microseconds, as all here
  double upper = std::numeric_limits<double>::infinity();  // of the steps
  std::vector<Step> steps{};  // all nodes between source and sink, by start

  bool exact() const { return lower >= upper; }
};

// What is known before any search: the longest path and the work.
BlockSchedule block_bound(const Block& block, std::size_t from, std::size_t to);

// Improves what is known. Schedules of `enough` or more are of no interest: lower may end there.
// Stops when the budget is out of time, and knows no more than before then.
void search_block(const Block& block, std::size_t from, std::size_t to, std::size_t width,
                  double enough, const Budget& budget, BlockSchedule& known);

}  // namespace berth
