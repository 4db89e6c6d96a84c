// The policy of HDP on one problem: groups drawn for the sets, then devices drawn for the groups.
//
//   grouper   log q(v, g), for all sets at once; a grouping draws g for every set
//   placer    groups of each grouping as a sequence (recurrent_placer.h), `placements` rows each
//   log p     of a placement: sum over sets of log q + sum over groups of log p(device)
//
// A grouping depends on no device, and all groupings of an update are one batch of sequences. A
// group that got no set has one device to choose from: it adds nothing to log p. A group that no
// device may run whole may get a device that some of its sets may use; the others go where they are
// fastest.
#pragma once

#include <vector>

#include "berth/learn/group_features.h"
#include "berth/learn/hdp.h"
#include "berth/learn/task.h"
#include "berth/learn/torch/recurrent_placer.h"
#include "berth/learn/torch/reinforce.h"

namespace berth {

class HdpPolicy : public DrawingPolicy {
 public:
  HdpPolicy(const HdpOptions& options, const Task& task, std::uint64_t seed);

  DrawnPlacements draw(std::size_t count, const Rng& rng) override;

 private:
  std::vector<Groups> draw_groupings(const torch::Tensor& logs, std::size_t count, Rng rng) const;
  torch::Tensor log_of(const torch::Tensor& logs, const std::vector<Groups>& groupings) const;
  torch::Tensor described(const Groups& groups) const;     // [G, features]
  torch::Tensor forbidden_of(const Groups& groups) const;  // [G, devices]
  SetDevices expanded(const Groups& groups, const std::vector<std::uint32_t>& devices) const;

  const PolicyGraph& graph_;
  std::size_t placements_;
  std::int64_t groups_;
  std::vector<std::uint32_t> fastest_;  // by set: its fastest device
  FeatureMatrix types_, shapes_;        // by set
  torch::Tensor type_shares_, told_;    // the grouper's inputs
  torch::nn::Linear embed_{nullptr}, grouper1_{nullptr}, grouper2_{nullptr};
  RecurrentPlacer placer_{nullptr};
};

}  // namespace berth
