// `hsdag`: operators grouped and placed by a graph network that learns from execution times.
//
// A graph network scores the edges between co-location sets, highly scored edges join sets to
// groups, a second network gives each group a device, and policy gradients train both on the value
// of the placements that they produce. Options and presets: hsdag_options.h; the network and its
// training: learn/torch/hsdag/network.h, learn/torch/hsdag/learner.h.
#pragma once

#include "berth/learn/hsdag_options.h"
#include "berth/learn/learned_placer.h"

namespace berth {

struct HsdagMethod {
  using Options = HsdagOptions;
  static constexpr const char* kName = "hsdag";
  // Throws Error when this build or machine has no LibTorch.
  static MakeLearner learner(const HsdagOptions& options);
};
using Hsdag = LearnedPlacer<HsdagMethod>;

}  // namespace berth
