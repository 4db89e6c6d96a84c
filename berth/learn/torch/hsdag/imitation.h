// Imitation: how well a policy of groups would give a placement P that is already known.
//
//   - mean_v log q_v(edges to nodes on v's device, or stay) - mean_g log pi_g(majority of P in g)
//
// on groups that such edges connect, drawn from q among them. It starts the policy at the best
// seed, and replays the elite. Where a placement is improved (walk.h), groups whose device P has
// too are left out: what is to be learned is what to change. One pass over the graph; with an
// encoding at hand, only over its groups.
#pragma once

#include "berth/learn/torch/hsdag/policy.h"

namespace berth {

torch::Tensor imitation_loss(HsdagPolicy& policy, const HsdagPolicy::Encoding& encoding,
                             const SetDevices& target, Rng& rng, const SetDevices* base = nullptr);

}  // namespace berth
