// Groups of devices as if each were one: what is left to decide when the members of a group divide
// the samples among them.
//
// A group runs a node where every member may, and sees only its share of the samples, so that with
// p(v, d) the member's time
//   p(v, G) = 1 / ( sum of 1 / p(v, d) over its members )
// and likewise for what a piece costs beyond its nodes. It has the memory of its smallest member,
// for each holds all weights, and the links of its first. Sums over nodes of such times are at most
// the time that the group really takes; `spread` gives a placement that the simulator can score as
// it is. O(V D + D^2).
#pragma once

#include "berth/placement.h"

namespace berth {

using DeviceGroups = std::vector<std::vector<DeviceId>>;  // disjoint, none empty

Problem merge_devices(const Problem& problem, const DeviceGroups& groups);

// A placement of the merged problem as one with replicas: the first member of a group that has work
// is repeated by the others.
Placement spread(const Placement& merged, const DeviceGroups& groups);

}  // namespace berth
