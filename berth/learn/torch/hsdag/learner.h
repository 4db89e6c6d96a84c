// How HSDAG learns: samples groupings and devices, compares what they cost, shifts the policy.
//
// One update draws `rollouts` placements. For each, every node keeps one incident edge or stays
// alone (sampled: from softmax over them; dominant: the edge of highest score), groups are what the
// kept edges connect, and every group draws a device. With advantages (berth):
//   L = - mean over decisions of min(rho A, clip(rho) A) - beta entropy       (policy_gradient.h)
// Without (paper):
//   L = - sum_i gamma^i r_i log p_i,  r_i = 1 / l_i in seconds
// Where a placement is improved (berth, walk.h) every rollout draws a region of it anew, and only
// what differs from it is weighted, by the rank of its rollout.
// State renewal (paper) adds the group's output to the features after each step.
// A placement of the elite is replayed by imitation (imitation.h) in each update.
//
// The network passes over the graph once per epoch and nothing else: all rollouts are drawn from
// one encoding, which also gives the greedy answer, the first epoch's gradient and the replay.
// With dropout or state renewal, where every pass differs, the drawing has passes of its own.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "berth/learn/learner.h"
#include "berth/learn/torch/adam.h"
#include "berth/learn/torch/hsdag/policy.h"
#include "berth/learn/walk.h"

namespace berth {

class HsdagLearner : public Learner {
 public:
  HsdagLearner(const HsdagOptions& options, const Task& task, std::uint64_t seed);

  void prepare(Task& task, Budget& budget, const Rng& rng) override;
  Samples propose(const Task& task, std::size_t count, double progress, const Rng& rng) override;
  Metrics learn(const Task& task, std::span<const Scored> samples, double progress,
                const Rng& rng) override;
  std::vector<SetDevices> answers(const Task& task, double progress) override;
  void save(Archive& archive) const override;
  void load(const Archive& archive) override;

  // For tests.
  torch::nn::Module& network() { return policy_.network(); }
  const std::vector<double>& losses() const { return losses_; }  // of the last update's epochs

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
    Pass pass;                            // with gradients where they may be used
    std::optional<SetDevices> base = {};  // that is improved
  };
  struct Weights {
    std::vector<double> of_decision, of_node;
  };
  struct Weighted;  // decisions as places in the logs, with their weights

  Pass pass(const torch::Tensor& x, const HsdagPolicy::GroupIndex& groups, double temperature);
  Drawn draw_rollouts(std::size_t rollouts, double temperature, Rng& rng);
  Drawn draw_parts(const Task& task, std::size_t parts, double temperature, Rng& rng);
  Drawn draw_steps(std::size_t steps, double temperature, Rng& rng);
  std::vector<SetDevices> greedy(const HsdagPolicy::Encoding& encoding);
  double temperature(double progress) const;  // of the choices
  Weights weights_of(const Drawn& drawn, std::span<const double> rewards) const;
  const SetDevices* replayed(const Task& task, Rng& rng) const;
  torch::Tensor loss_of(const Pass& now, const Weighted& weighted, double beta,
                        double* entropy) const;

  HsdagOptions options_;
  HsdagPolicy policy_;
  Adam optimizer_;
  std::optional<Drawn> drawn_;  // by the last proposal
  Walk walk_;
  std::vector<SetDevices> combined_;  // of the last samples
  std::vector<double> losses_;
};

}  // namespace berth
