// The random changes of simulated annealing, on any execution model.
//
//   move     one unit to another device, mostly a neighbour's
//   block    a unit together with neighbours that sit on its device: chains and blocks move as one,
//            because single moves would have to pay for transfers on both sides first
//   swap     of two units
//   region   in pieces, mostly (region_moves.h)
//   proposal what the caller thinks worth a try, in its share of the draws
// Where the value is a maximum over devices, units of the busiest device are tried more often.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "berth/base/random.h"
#include "berth/search/region_moves.h"
#include "berth/search/search_state.h"

namespace berth {

struct Proposals {
  double share;  // of all draws
  // Fills the empty list with a change that the state may make; or leaves it empty.
  std::function<void(const SearchState&, Rng&, std::vector<SearchState::Change>&)> draw;
};

class AnnealingMoves {
 public:
  using Change = SearchState::Change;

  // `regions`: null unless regions are what moves; `proposals`: null for none.
  AnnealingMoves(const Problem& problem, const RegionMoves* regions, const Proposals* proposals)
      : problem_(problem), units_(unit_graph(problem)), regions_(regions), proposals_(proposals) {}

  // A random change of the state; empty when the draw is not allowed.
  std::span<const Change> draw(const SearchState& state, Rng& rng);

 private:
  UnitId draw_unit(const SearchState& state, Rng& rng);
  DeviceId busiest_device(const SearchState& state) const;
  DeviceId draw_target(const SearchState& state, UnitId unit, Rng& rng) const;
  void grow(const SearchState& state, DeviceId home, DeviceId target, std::size_t more, Rng& rng);
  bool moves(UnitId unit) const;
  void add_swap(const SearchState& state, DeviceId home, DeviceId target, Rng& rng);

  const Problem& problem_;
  const UnitGraph& units_;
  const RegionMoves* regions_;
  const Proposals* proposals_;
  std::vector<Change> changes_;
  DeviceId busiest_{0};
  std::uint64_t draws_ = 0;
};

}  // namespace berth
