// What a placement that is improved (walk.h) has around each group, as numbers by device.
//
// For group g and device d, all from 0 to 1:
//   here     the share of g's sets that are on d
//   traffic  the share of the bytes between g and the rest that go to or come from d
//   load     the work of others on d, over all work
// They tell equal devices apart, by what is there already, which no property of a device can.
// O(sum over the groups of their edges + groups * devices).
#pragma once

#include <array>
#include <span>
#include <vector>

#include "berth/learn/policy_graph.h"

namespace berth {

using BaseFeatures = std::array<float, 3>;  // here, traffic, load

// By (group, device), group-major.
std::vector<BaseFeatures> base_features(const PolicyGraph& graph, std::span<const SetGroup> groups,
                                        const SetDevices& base);

}  // namespace berth
