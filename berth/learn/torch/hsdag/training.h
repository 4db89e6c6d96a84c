// How HSDAG learns: samples groupings and devices, compares what they cost, shifts the policy.
//
// One update draws `rollouts` placements. For each, every node keeps one incident edge or stays
// alone (sampled: from softmax over them; dominant: the edge of highest score), groups are what the
// kept edges connect, and every group draws a device. With advantages (berth):
//   L = - mean over decisions of min(rho A, clip(rho) A) - beta entropy       (policy_gradient.h)
// Without (paper):
//   L = - sum_i gamma^i r_i log p_i,  r_i = 1 / l_i in seconds
// State renewal (paper) adds the group's output to the features after each step.
// The elite is replayed by imitation (hsdag_imitation.h), and small changes of it, by what the
// policy has drawn, refine it (learn/refine.h) on a second core while this one takes the gradients.
//
// The network passes over the graph once per epoch and nothing else: all rollouts are drawn from
// one encoding, which also gives the greedy answer, the first epoch's gradient and the replay.
// With dropout or state renewal, where every pass differs, the drawing has passes of its own.
#pragma once

#include "berth/learn/torch/adam.h"
#include "berth/learn/torch/hsdag/policy.h"
#include "berth/learn/torch/training.h"

namespace berth {

class HsdagLearner : public Learner {
 public:
  // `reference` is l_ref: the best known value of the problem.
  HsdagLearner(const Problem& problem, const PolicyGraph& graph, const HsdagOptions& options,
               Duration reference, std::uint64_t seed);

  void prepare(Scorer& scorer, Budget& budget, const Rng& rng) override;
  UpdateReport update(Scorer& scorer, Budget& budget, const Rng& rng, double progress) override;
  torch::nn::Module& network() override { return policy_.network(); }
  Adam& optimizer() override { return optimizer_; }

 private:
  // What the policy thinks of the decisions of some rollouts.
  struct Pass {
    HsdagPolicy::Encoding encoding;
    torch::Tensor devices;  // log pi, [groups, devices]
  };
  // Rollouts, the features that they saw, and the logs that they were drawn from.
  struct Drawn {
    torch::Tensor x;  // [n, d] for all, or [rollouts, n, d] (renewal)
    Rollouts rollouts;
    HsdagPolicy::GroupIndex groups;
    Pass pass;  // with gradients where they may be used
  };
  struct Weighted;  // decisions as places in the logs, with their weights

  Pass pass(const torch::Tensor& x, const HsdagPolicy::GroupIndex& groups, double temperature);
  Drawn draw_rollouts(std::size_t rollouts, double temperature, Rng& rng);
  Drawn draw_steps(std::size_t steps, double temperature, Rng& rng);
  void score_greedy(const HsdagPolicy::Encoding& encoding, Scorer& scorer, Budget& budget, Rng rng);
  int moves_within(const Budget& budget, std::size_t rollouts, double progress) const;
  torch::Tensor loss_of(const Pass& now, const Weighted& weighted, double beta,
                        double* entropy) const;

  HsdagOptions options_;
  Duration reference_;
  HsdagPolicy policy_;
  Adam optimizer_;
};

}  // namespace berth
