// Changes that suit execution in pieces: whole regions move, because each border costs.
//
// A single unit moved out of a piece cuts it in two or three, so that the way from one good
// placement to another leads over bad ones. Three kinds of change keep borders few:
//   branch   the nodes behind one successor s of a fork f that are behind no other successor,
//              B(f, s) = reach(s) \ union over other successors s' of reach(s')
//            which is what can run beside the rest; to any device;
//   shift    a cut moves: at a place in topological order where the device changes, up to some
//            number of units on one side join the other side's device;
//   stretch  units that follow each other in topological order, to any device.
// Branches are found once, by rows of bits: O(V E / 64) time, V^2 bits. Large graphs, where that
// would be too much, have shifts and stretches only.
#pragma once

#include "berth/base/random.h"
#include "berth/search/search_state.h"

namespace berth {

class RegionMoves {
 public:
  explicit RegionMoves(const Problem& problem);

  // A random change. Empty when the draw changes nothing or is not allowed.
  void draw(const SearchState& state, Rng& rng, std::vector<SearchState::Change>& changes) const;

  std::size_t branch_count() const { return branch_begin_.size() - 1; }
  std::span<const UnitId> branch(std::size_t at) const {
    return {branch_.data() + branch_begin_[at], branch_.data() + branch_begin_[at + 1]};
  }

 private:
  void find_branches();
  void shift(const SearchState& state, Rng& rng, std::vector<SearchState::Change>& changes) const;

  Problem problem_;
  std::vector<UnitId> order_;  // units by their first node in topological order
  std::vector<std::size_t> branch_begin_{0};
  std::vector<UnitId> branch_;
};

// Where they are of use: where borders are what costs.
std::optional<RegionMoves> region_moves(const Problem& problem);

}  // namespace berth
