// The state of an episode as Placeto's network sees it: 6 + D numbers for each set.
//
//   cost      time on its present device            bytes     on the edges that leave it
//   visited   1 once the episode has been there     current   1 for the set that is visited
//   start     its start minus the visited one's     memory    bytes of its weights
//   one number per device: 1 for its own
// Cost, bytes, start and memory are divided by their maxima, of starts the present one. Where the
// objective has no schedule (placement_walk.h) all starts are 0.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "berth/learn/placement_walk.h"
#include "berth/learn/policy_graph.h"
#include "berth/learn/visit_order.h"

namespace berth {

class StateFeatures {
 public:
  // Both outlive it.
  StateFeatures(const PolicyGraph& graph, const VisitOrder& order);

  std::size_t width() const { return kShared + graph_.device_count; }
  // Of walk w of `walks`, before step `step`: feature f of set v goes to x[(f n + v) walks + w].
  void write(const PlacementWalk& walk, std::size_t step, std::size_t w, std::size_t walks,
             std::span<float> x) const;

 private:
  static constexpr std::size_t kShared = 6;

  const PolicyGraph& graph_;
  const VisitOrder& order_;
  std::vector<std::size_t> position_;  // in the order, by set
  std::vector<double> cost_;           // by set and device
  std::vector<double> bytes_, memory_;
};

}  // namespace berth
