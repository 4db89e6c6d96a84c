// How placements that were tried change the policy that drew them.
//
// Rewards, of a placement of value l against a reference value l_ref:
//   log      -log(l / l_ref); -1 - 4 overflow - log(l / l_ref) when it does not fit, so that the
//            gradient points to what fits
//   inverse  1 / l in seconds; l = 1e10 s when it does not fit
// Weights of a rollout's log p:
//   advantage    (r_i - mean of the others) / (standard deviation + 1e-3)
//   discounted   gamma^i r_i
//   rank         from -1 for the worst of the batch to 1 for the best; equal ones share theirs. Of
//                rollouts that change a placement a little or much, one may be worse than all
//                others together: their order is what tells
// What is maximised over all decisions, with rho = p_new / p_old of the single decision:
//   clipped_gain    mean of min(rho A, clip(rho, 1 - c, 1 + c) A). A joint ratio over the hundreds
//                   of decisions of a placement would always be clipped.
//   weighted_sum    sum of w log p (REINFORCE)
//
// Williams, Simple Statistical Gradient-Following Algorithms, 1992; Schulman et al., Proximal
// Policy Optimization Algorithms, 2017.
#pragma once

#include <span>
#include <vector>

#include <torch/torch.h>

#include "berth/base/units.h"
#include "berth/sim/evaluate.h"

namespace berth {

double log_reward(const Score& score, Duration reference);
double inverse_reward(const Score& score);

std::vector<double> advantages(std::span<const double> rewards);
std::vector<double> ranks(std::span<const double> rewards);
std::vector<double> discounted(std::span<const double> rewards, double gamma);

// `taken` [M] are the decisions, as places in `logs` [K]; `old` and `weight` [M] are constants.
torch::Tensor clipped_gain(const torch::Tensor& logs, const torch::Tensor& taken,
                           const torch::Tensor& old, const torch::Tensor& weight, double clip);
torch::Tensor weighted_sum(const torch::Tensor& logs, const torch::Tensor& taken,
                           const torch::Tensor& weight);

}  // namespace berth
