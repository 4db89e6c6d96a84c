// How Placeto plays and learns: episodes side by side, one pass of the network per step.
//
// An update plays `rollouts` episodes from one start. At step t all of them are at the same set, so
// one pass gives the probabilities of its devices in every episode; each draws, changes its
// placement and has it scored. Then, with advantages A of step_returns.h,
//   L = - mean over steps and episodes of A log p - beta mean entropy
// and one step of Adam, of a gradient of norm 1.25 at most. The states are kept and passed again
// with gradients, some steps at a time: a whole episode at once would hold every layer of every
// step. A device that a set may not use has probability 0.
//
// Addanki et al., NeurIPS 2019, section 3.3.
#pragma once

#include <deque>
#include <span>
#include <vector>

#include "berth/learn/grouped_sets.h"
#include "berth/learn/learner.h"
#include "berth/learn/parsing.h"
#include "berth/learn/placement_walk.h"
#include "berth/learn/placeto.h"
#include "berth/learn/step_returns.h"
#include "berth/learn/torch/adam.h"
#include "berth/learn/torch/placeto/network.h"
#include "berth/learn/torch/placeto/state_features.h"
#include "berth/learn/visit_order.h"

namespace berth {

class PlacetoLearner : public Learner {
 public:
  PlacetoLearner(const PlacetoOptions& options, const Task& task, std::uint64_t seed);

  void prepare(Task& task, Budget& budget, const Rng& rng) override;
  std::vector<Scored> play(const Task& task, std::size_t count, double progress, Budget& budget,
                           const Rng& rng) override;
  Metrics learn(const Task& task, std::span<const Scored> samples, double progress,
                const Rng& rng) override;
  void save(Archive& archive) const override;
  void load(const Archive& archive) override;

  // For tests.
  const PolicyGraph& graph() const { return graph_; }  // of groups
  const VisitOrder& order() const { return order_; }

 private:
  PlacetoLearner(const PlacetoOptions& options, const Task& task, const Groups& groups,
                 std::uint64_t seed);

  // What the last play has seen and done.
  struct Episodes {
    std::size_t count = 0;
    std::vector<torch::Tensor> states;  // by step: [e, n, 1, count]
    std::vector<std::int64_t> devices;  // drawn, by step and episode
    std::size_t steps() const { return states.size(); }
  };

  SetDevices on_device(std::uint32_t device) const;
  void start_walks(std::size_t count, const Problem& problem);
  torch::Tensor state_before(std::size_t step) const;
  // log pi [D, S, W] of the steps from `first` on, whose states are x.
  torch::Tensor logs_of(const torch::Tensor& x, std::size_t first);
  void take_step(std::size_t step, Rng& rng);
  // Of the share that these steps have in the loss; returns their part of the mean entropy.
  double add_gradient(std::size_t first, std::size_t steps, const torch::Tensor& advantage,
                      double beta);

  PlacetoOptions options_;
  GroupedSets groups_;
  PolicyGraph graph_;  // of groups
  VisitOrder order_;
  StateFeatures features_;
  PlacetoGraph edges_;
  torch::Tensor forbidden_;  // [D, n], by group
  PlacetoNetwork network_{nullptr};
  Adam optimizer_;
  StepBaseline baseline_;
  SetDevices start_;  // of groups: of every episode
  std::deque<PlacementWalk> walks_;
  std::size_t walks_per_thread_;
  Episodes episodes_;
};

}  // namespace berth
