// m-topo: Baechi's simplest placer. Fill devices one after another in topological order.
//
//   need(group) = largest workspace + sum of weights
//   cap         = total need / number of devices + largest need
// Groups, made by co-location and co-placement (transform/contract.h), are walked in topological
// order and go on the current device until it would pass the cap or its memory; then the next
// device becomes current. Times and transfers are ignored. A group that may not use the current
// device goes to the next one that takes it; when none is left, to any that does. O(V + E).
//
// Jeon et al., Baechi: Fast Device Placement of Machine Learning Graphs, SoCC 2020.
#pragma once

#include "berth/base/options.h"
#include "berth/place/context.h"

namespace berth {

void m_topo(const Context& context, const NoOptions&);

}  // namespace berth
