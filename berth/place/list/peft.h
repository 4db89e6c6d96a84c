// PEFT: list scheduling that looks ahead by an optimistic cost table.
//
// HEFT takes the device where a node finishes first, whatever that means for what follows. PEFT
// adds what is left to do from there if every later node could choose its device freely:
//   R(v,d)   the tail of v on d (search/path_times.h)
//   order    of the nodes whose inputs are placed, the one with the largest mean of R over its
//            devices
//   device   least start(v,d) + R(v,d), in the earliest gap that is long enough
// So a node does not land on a device from which all ways lead over a slow link. Units are
// contracted first; the placement keeps the order of the schedule; memory by the static rule of
// unit_assignment.h. The paper adds mean transfer times between unequal devices; here R has those
// of the pair, which differ by orders of magnitude between CPUs and accelerators.
// O(E D^2 + V log V + searches for gaps).
//
// Arabnejad, Barbosa, List Scheduling Algorithm for Heterogeneous Systems by an Optimistic Cost
// Table, IEEE TPDS 2014.
#pragma once

#include "berth/base/options.h"
#include "berth/place/context.h"

namespace berth {

void peft(const Context& context, const NoOptions&);

}  // namespace berth
