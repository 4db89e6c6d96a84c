// The policy of coloc-rl on one problem: the groups as a sequence, read once, placed many times.
//
//   x_g = [embedding of the shares of operator types; output shapes, standardised; adjacency row]
//
// All placements of an update share one encoding; they are the rows of one decoding
// (recurrent_placer.h).
#pragma once

#include "berth/learn/coloc_rl.h"
#include "berth/learn/grouped_sets.h"
#include "berth/learn/task.h"
#include "berth/learn/torch/recurrent_placer.h"
#include "berth/learn/torch/reinforce.h"

namespace berth {

class ColocRlPolicy : public DrawingPolicy {
 public:
  ColocRlPolicy(const ColocRlOptions& options, const Task& task, std::uint64_t seed);

  DrawnPlacements draw(std::size_t count, const Rng& rng) override;

 private:
  void describe(const Task& task, const Groups& groups);

  GroupedSets groups_;
  torch::Tensor types_;      // shares, [G, types]
  torch::Tensor told_;       // shapes and adjacency, [G, ...]
  torch::Tensor forbidden_;  // [1, G, devices]
  torch::nn::Linear embed_{nullptr};
  RecurrentPlacer placer_{nullptr};
};

}  // namespace berth
