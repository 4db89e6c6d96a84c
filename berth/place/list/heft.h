// HEFT: heterogeneous earliest finish time, by insertion.
//
// Units are contracted first (transform/contract.h); the coarse nodes are placed by falling upward
// rank (transform/ranks.h), each where it finishes first (place_in_order, list_schedule.h), and the
// placement keeps the order of the schedule. Pieces of a unit that could not be contracted follow
// the first of them to be placed. Memory by the static rule of unit_assignment.h; no device left
// means no placement.
//
// Mean transfer times are taken over all ordered pairs of devices, a device with itself (0)
// included, as each consumer may also land where its producer is; with the pairs of unequal
// devices only, GoogLeNet of the moirai set takes 1.385 ms instead of 1.420.
#pragma once

#include "berth/place/context.h"

namespace berth {

struct HeftOptions {
  bool insertion = true;
  void visit(auto& v) {
    v("insertion", insertion, "use idle gaps before the last run of a device");
  }
};

void heft(const Context& context, const HeftOptions& options);

}  // namespace berth
