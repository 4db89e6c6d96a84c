#include "berth/search/annealing_moves.h"

#include <algorithm>

namespace berth {
namespace {

constexpr double kRegionShare = 0.6;  // of the draws, where regions are what moves

}  // namespace

std::span<const AnnealingMoves::Change> AnnealingMoves::draw(const SearchState& state, Rng& rng) {
  changes_.clear();
  if (proposals_ != nullptr && rng.uniform() < proposals_->share) {
    proposals_->draw(state, rng, changes_);
    return changes_;
  }
  if (regions_ != nullptr && rng.uniform() < kRegionShare) {
    regions_->draw(state, rng, changes_);
    return changes_;
  }
  const UnitId unit = draw_unit(state, rng);
  const DeviceId home = state.device_of(unit);
  const DeviceId target = draw_target(state, unit, rng);
  if (target == home || !state.may_move(unit, target)) return {};
  changes_.push_back({unit, target});
  const double kind = rng.uniform();
  if (kind < 0.25)
    grow(state, home, target, 1 + rng.below(rng.uniform() < 0.2 ? 40 : 6), rng);
  else if (kind < 0.35)
    add_swap(state, home, target, rng);
  return changes_;
}

UnitId AnnealingMoves::draw_unit(const SearchState& state, Rng& rng) {
  const auto any = [&] { return static_cast<UnitId>(rng.below(problem_.unit_count())); };
  UnitId unit = any();
  if (problem_.objective() != Objective::kThroughput || rng.uniform() < 0.5) return unit;
  if (draws_++ % 64 == 0) busiest_ = busiest_device(state);  // O(V): not for every draw
  for (int i = 0; i < 8 && state.device_of(unit) != busiest_; ++i) unit = any();
  return unit;
}

DeviceId AnnealingMoves::busiest_device(const SearchState& state) const {
  std::vector<double> load(problem_.device_count(), 0.0);
  for (const UnitId unit : problem_.units()) {
    const DeviceId device = state.device_of(unit);
    load[index(device)] += units_.time(unit, device);
  }
  return static_cast<DeviceId>(std::ranges::max_element(load) - load.begin());
}

DeviceId AnnealingMoves::draw_target(const SearchState& state, UnitId unit, Rng& rng) const {
  const std::span<const UnitId> near = units_.neighbours(unit);
  if (!near.empty() && rng.uniform() < 0.6) return state.device_of(near[rng.below(near.size())]);
  return static_cast<DeviceId>(rng.below(problem_.device_count()));
}

// Neighbours of what moves already that sit on its device, up to `more` of them.
void AnnealingMoves::grow(const SearchState& state, DeviceId home, DeviceId target,
                          std::size_t more, Rng& rng) {
  for (std::size_t at = 0; at < changes_.size() && more > 0; ++at) {
    const std::span<const UnitId> near = units_.neighbours(changes_[at].unit);
    if (near.empty()) continue;
    const std::size_t offset = rng.below(near.size());
    const std::size_t tries = std::min<std::size_t>(near.size(), 16);
    for (std::size_t i = 0; i < tries && more > 0; ++i) {
      const UnitId other = near[(offset + i) % near.size()];
      if (state.device_of(other) != home || !state.may_move(other, target) || moves(other))
        continue;
      changes_.push_back({other, target});
      --more;
    }
  }
}

bool AnnealingMoves::moves(UnitId unit) const {
  return std::ranges::find(changes_, unit, &Change::unit) != changes_.end();
}

void AnnealingMoves::add_swap(const SearchState& state, DeviceId home, DeviceId target, Rng& rng) {
  for (int i = 0; i < 8; ++i) {
    const UnitId other = static_cast<UnitId>(rng.below(problem_.unit_count()));
    if (state.device_of(other) != target || !state.may_move(other, home)) continue;
    changes_.push_back({other, home});
    return;
  }
}

}  // namespace berth
