// Apart assignments: the ways to obey "apart" constraints, for methods that cannot express them.
//
// "u and w on different devices" is not something a minimum cut can be told: it rewards agreement
// only. But once the units of all apart sets have their devices, they are pins, and pins are
// easy. This lists such choices by backtracking, the preferred device of each unit first; with
// few sets the list is complete, and the best answer over it is optimal.
#pragma once

#include "berth/place/cut/additive_cost.h"

namespace berth {

struct ApartAssignments {
  std::vector<std::vector<UnitPin>> ways;  // one empty way when nothing must be apart
  bool complete = true;                    // there is no other way
};

// At most `most` ways. No way and `complete` means that there is none.
ApartAssignments ways_to_keep_apart(const Problem& problem, const UnitDevices& preferred,
                                    std::size_t most);

}  // namespace berth
