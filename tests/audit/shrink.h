// A smaller problem on which the same still goes wrong.
//
// Nodes, devices, edges, constraints, limits and settings are taken away one at a time and times
// rounded, as long as the finding stays; then again, until nothing more can go.
#pragma once

#include <functional>

#include "berth/problem.h"

namespace berth::audit {

Problem shrink(const Problem& problem, const std::function<bool(const Problem&)>& still_wrong);

}  // namespace berth::audit
