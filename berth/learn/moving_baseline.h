// Rewards as roots of times, and the moving average that they are compared with.
//
// Of a placement of value l against a reference value l_ref:
//   r = -sqrt(l / l_ref)          when it fits; never below -failure
//   r = -failure - 4 overflow     when it does not; ungraded: -failure
// The root keeps a few very slow placements from drowning the others. A constant for failures
// is the papers' rule; the overflow beside it, as in log_reward (torch/policy_gradient.h), makes
// the gradient point to what fits, where nearly all samples fail. The gradient of log p of a
// placement is weighted by
//   A = r - b,    b <- decay b + (1 - decay) mean of r
// where b is of the updates before, so that it does not depend on what it is subtracted from. The
// first update has its own mean.
//
// Mirhoseini et al., Device Placement Optimization with Reinforcement Learning, ICML 2017.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "berth/base/units.h"
#include "berth/io/archive.h"
#include "berth/sim/evaluate.h"

namespace berth {

struct RootReward {
  double failure = 10;
  bool graded = true;

  double operator()(const Score& score, Duration reference) const;
};

class MovingBaseline {
 public:
  explicit MovingBaseline(double decay) : decay_(decay) {}

  // A of each reward; then the average takes them in.
  std::vector<double> advantages(std::span<const double> rewards);

  void save(Archive& archive) const;
  void load(const Archive& archive);

 private:
  double decay_;
  std::optional<double> average_;  // none before the first update
};

}  // namespace berth
