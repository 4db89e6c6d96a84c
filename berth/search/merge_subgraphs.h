// A placement with no more subgraphs than the problem allows, from one that has more.
//
// Heuristics know nothing of the limit, and moving single units off a subgraph makes it smaller but
// not fewer. So whole subgraphs move: as long as there are too many, of the sixteen that take least
// time each is tried on every device that it shares a tensor with, and of the moves that leave
// fewer subgraphs the one with the least energy (search_state.h) is made. O(rounds * 16 D)
// evaluations.
#pragma once

#include "berth/search/search_state.h"

namespace berth {

// The same placement where the problem sets no limit or it is kept; empty when no subgraph can move
// for the better. Evaluations are counted in the budget.
std::optional<UnitDevices> merge_subgraphs(const Problem& problem, UnitDevices device_of,
                                           Budget& budget, Repair repair = Repair::kToTheEnd);

}  // namespace berth
