// The placement that a policy improves: a walk over what the policy itself has drawn.
//
// A policy that draws a whole placement at a time gets one value for hundreds of decisions. Here it
// sees a placement b and draws a part of it anew, a region of the graph, all else as in b; then
//   l(sample) against l(b)   is the worth of the changed decisions and of nothing else.
// Regions are neighbourhoods of 1 to 2 sqrt(n) sets, each size as likely as its double. After every
// batch the walk goes to the best sample s when it is not worse, or with probability
//   exp(-(l_s / l_b - 1) / T),   T falling to zero with the progress.
// It takes over what anybody found that is better than all before, and now and then returns to the
// best.
// O(n) a step beside the samples.
#pragma once

#include <span>
#include <vector>

#include "berth/base/random.h"
#include "berth/io/archive.h"
#include "berth/learn/elite.h"
#include "berth/learn/policy_graph.h"

namespace berth {

class Walk {
 public:
  bool has_begun() const { return !at_.devices.empty(); }
  const Scored& at() const { return at_; }  // only when it has begun

  // Before a batch: begins at the best, takes over a new best, or returns to it.
  void look_at(const Elite& elite, Rng& rng);
  // After it.
  void step(std::span<const Scored> samples, double progress, Rng& rng);

  void save(Archive& archive) const;
  void load(const Archive& archive);

 private:
  Scored at_;
  Score best_;  // that was taken over last
};

// What is drawn anew in each of `count` samples.
std::vector<SetGroup> walk_regions(const PolicyGraph& graph, std::size_t count, Rng& rng);

// `base` with the changes of all samples that are better than it, those of the best first; empty
// when fewer than two are. Changes far apart often add up.
std::vector<SetDevices> combined(const Scored& base, std::span<const Scored> samples);

}  // namespace berth
