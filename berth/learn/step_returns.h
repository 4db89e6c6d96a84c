// What the steps of an episode are worth, where every step changes a placement and is scored.
//
//   cost      c = T / T_ref, plus 1 + 4 overflow where it does not fit: graded, so that a step
//             towards what fits is a gain
//   reward    r_t = c_t - c_t+1; their sum is what the episode has gained as a whole
//   return    R_t = r_t + gamma R_t+1
//   baseline  b_t: the mean of R_t over the last ten episodes, those of this update among them (or
//             over all of this update, where it has more)
//   advantage R_t - b_t. An episode's own return in the mean only scales it, by (k - 1) / k for a
//             mean over k.
#pragma once

#include <cstddef>
#include <deque>
#include <span>
#include <vector>

#include "berth/base/units.h"
#include "berth/io/archive.h"
#include "berth/sim/evaluate.h"

namespace berth {

double relative_cost(const Score& score, Duration reference);

// The costs of the placements of an episode, the first one its start, to the returns of its steps.
std::vector<double> step_returns(std::span<const double> costs, double gamma);

class StepBaseline {
 public:
  // Takes the returns of the episodes of an update, all with as many steps, and gives their
  // advantages.
  std::vector<std::vector<double>> advantages(const std::vector<std::vector<double>>& returns);

  void save(Archive& archive) const;
  void load(const Archive& archive);

 private:
  std::deque<std::vector<double>> last_;  // returns of episodes, oldest first
};

}  // namespace berth
