// REINFORCE for policies that draw whole placements and know how likely they were.
//
//   gradient of mean over the placements of an update of -A_i log p_i,   A = r - moving average
//
// (moving_baseline.h), one step of Adam each, its norm cut to 1. What a policy is, a sequence of
// devices, or groups and then devices, is its own affair: it draws, and tells log p with the
// gradient.
//
// Williams, Simple Statistical Gradient-Following Algorithms for Connectionist Reinforcement
// Learning, 1992.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include <torch/torch.h>

#include "berth/learn/learner.h"
#include "berth/learn/moving_baseline.h"
#include "berth/learn/recurrent_options.h"
#include "berth/learn/torch/adam.h"

namespace berth {

struct DrawnPlacements {
  std::vector<SetDevices> placements;
  torch::Tensor log;               // log p of each, with its gradient
  std::vector<SetGroup> groups{};  // that were drawn together
  Metrics metrics{};               // what the policy tells of itself
};

class DrawingPolicy : public torch::nn::Module {
 public:
  virtual DrawnPlacements draw(std::size_t count, const Rng& rng) = 0;
};

class ReinforceLearner : public Learner {
 public:
  ReinforceLearner(const RecurrentOptions& options, std::shared_ptr<DrawingPolicy> policy);

  Samples propose(const Task& task, std::size_t count, double progress, const Rng& rng) override;
  Metrics learn(const Task& task, std::span<const Scored> samples, double progress,
                const Rng& rng) override;
  void save(Archive& archive) const override;
  void load(const Archive& archive) override;

 private:
  std::shared_ptr<DrawingPolicy> policy_;
  RootReward reward_;
  MovingBaseline baseline_;
  Adam optimizer_;
  std::optional<DrawnPlacements> drawn_;  // by the last proposal
};

}  // namespace berth
