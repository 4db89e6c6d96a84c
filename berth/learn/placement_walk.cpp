#include "berth/learn/placement_walk.h"

#include <algorithm>

#include "berth/learn/environment.h"

namespace berth {

PlacementWalk::PlacementWalk(const Problem& problem, const PolicyGraph& graph)
    : problem_(problem), graph_(graph), evaluator_(problem), starts_(graph.size(), 0.0) {}

void PlacementWalk::take_score(const Score& score) {
  score_ = with_apart_sets(problem_, placement_, score);
}

void PlacementWalk::simulate() {
  const TimedScore timed = evaluator_(placement_.device_of.items());
  take_score(timed.score);
  starts_.assign(graph_.size(), kForever.count());
  for (const Run& run : timed.schedule.runs) {
    double& start = starts_[graph_.set_of[run.node]];
    start = std::min(start, run.start.count());
  }
}

void PlacementWalk::start(const SetDevices& devices) {
  devices_ = devices;
  placement_ = spread(graph_, devices);
  if (problem_.objective() == Objective::kLatency) return simulate();
  state_.emplace(problem_, to_units(problem_, placement_));
  take_score(state_->score());
}

void PlacementWalk::move(std::uint32_t set, std::uint32_t device) {
  if (devices_[set] == device) return;
  devices_[set] = device;
  for (const NodeId node : graph_.members[set])
    placement_.device_of[node] = static_cast<DeviceId>(device);
  if (!state_) return simulate();
  std::vector<SearchState::Change> changes;
  for (const NodeId node : graph_.members[set]) {
    const UnitId unit = problem_.unit_of(node);
    if (problem_.members(unit).front() == node)
      changes.push_back({unit, static_cast<DeviceId>(device)});
  }
  state_->apply(changes);
  take_score(state_->score());
}

}  // namespace berth
