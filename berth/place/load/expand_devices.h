// One step of a search over ideals: a piece on a device more, and the way back.
//
// PieceGrower takes a set of the table and adds units to it one by one, each superset once
// (graph/ideal_walk.h), while some class may still take the units added as one piece: compute +
// permanent cuts < T, bytes fit. Every superset that the devices left can complete
// (remaining_capacity.h) is offered to the table. Nothing is stored per pair. PieceBacktrack walks
// the other way and finds the pieces that gave a set its value. Time O(nets of a unit) for each
// pair of sets.
#pragma once

#include <algorithm>
#include <atomic>
#include <limits>

#include "berth/graph/ideal_walk.h"
#include "berth/place/load/ideal_search.h"
#include "berth/place/load/remaining_capacity.h"
#include "berth/place/load/state_table.h"

namespace berth {

// Rounding of sums in different orders; well within kJustBelow.
inline constexpr double kSumRounding = 1e-11;

inline IdealWalk::Direction opposite(IdealWalk::Direction direction) {
  using enum IdealWalk::Direction;
  return direction == kUp ? kDown : kUp;
}

// Everything a search knows before it starts.
struct SearchGround {
  SearchGround(const LoadModel& model, const UnitOrder& order, const IdealLimits& limits);
  std::vector<std::uint64_t> complement(std::span<const std::uint64_t> set) const {
    std::vector<std::uint64_t> result(words);
    for (std::size_t w = 0; w < words; ++w) result[w] = full[w] & ~set[w];
    return result;
  }
  std::uint64_t key_of(std::span<const std::uint64_t> set) const;
  // The unit is no longer left to do.
  void cover(std::uint32_t unit, Rest& rest) const {
    for (std::size_t h = 0; h < workload.halves; ++h) rest.work[h] -= workload.work[h][unit];
    rest.bytes -= model.units[unit].bytes;
  }

  const LoadModel& model;
  const UnitOrder& order;
  const IdealLimits& limits;
  Workload workload;
  std::size_t words;
  std::vector<std::uint64_t> full, keys;
  std::uint64_t full_key = 0;
};

// States, how much of each is in use, and what is left then.
struct StateSpace {
  StateSpace(const SearchGround& ground, DeviceStates of);

  DeviceStates states;
  std::vector<std::size_t> used;  // by state, over all kinds
  std::size_t levels = 0;         // the most that can be in use
  RemainingCapacity capacity;     // by state; to be assigned
};

// What a search has spent, over all threads, and whether it must end.
class Effort {
 public:
  Effort(const IdealLimits& limits, const Budget& budget) : limits_(limits), budget_(budget) {}

  // Counts the table's memory from now on.
  void watch(const StateTable& sets) { watched_.push_back(&sets); }
  // Whether the limits on pairs, memory and budget still hold. Every search that comes to its end
  // looks at the same pairs and keeps the same sets, so the threads do not decide which one does.
  bool spend(std::uint64_t pairs) {
    const std::uint64_t all = pairs_.fetch_add(pairs, std::memory_order_relaxed) + pairs;
    if ((limits_.pairs > 0 && all > limits_.pairs) || out_of_memory() || budget_.spent())
      stopped_ = true;
    return !stopped_;
  }
  bool stopped() const { return stopped_; }
  bool out_of_memory() const {
    std::size_t bytes = 0;
    for (const StateTable* sets : watched_) bytes += sets->bytes();
    return bytes > limits_.bytes;
  }
  std::uint64_t pairs() const { return pairs_; }

 private:
  const IdealLimits& limits_;
  const Budget& budget_;
  std::vector<const StateTable*> watched_;
  std::atomic<std::uint64_t> pairs_ = 0;
  std::atomic<bool> stopped_ = false;
};

// Grows pieces on the sets of one table; one for each thread.
class PieceGrower {
 public:
  PieceGrower(const SearchGround& ground, const StateSpace& space, IdealWalk::Direction direction,
              StateTable& sets, Effort& effort);

  // From the states of the set with so many devices in use.
  void expand(const StateTable::Address& at, std::size_t used);

  // What the walk asks (graph/ideal_walk.h): the units added make one piece.
  bool take(std::uint32_t unit);
  bool reached();
  void give_back(std::uint32_t) {
    rest_.pop_back();
    load_.remove();
  }

 private:
  static constexpr std::uint64_t kPairsPerLook = 4096;
  static constexpr std::size_t kNoClass = std::numeric_limits<std::size_t>::max();
  struct Move {
    std::size_t device_class, replicas;
    std::uint32_t to;
    double value;
  };
  void find_moves(std::size_t used);
  bool is_beaten(const StateTable::Entry& entry) const;
  bool quickly_may_fit(std::uint32_t unit) const;
  bool may_still_fit() const;

  const SearchGround& ground_;
  const StateSpace& space_;
  StateTable& sets_;
  Effort& effort_;
  IdealWalk walk_;
  PieceLoad load_;
  StateTable::Set set_;
  std::vector<Rest> rest_;  // what is left, as the piece grows
  std::vector<Move> moves_;
  std::vector<std::size_t> open_;  // most replicas that a move may take, by class
  double most_rest_ = 0;           // of forward work, after any move
  std::vector<StateTable::Offer> offers_;
  std::uint64_t pairs_ = 0;  // since the last look at the limits
};

// The inner loop of the search: inline, because a shared library does not inline what it exports.
inline bool PieceGrower::take(std::uint32_t unit) {
  if (!quickly_may_fit(unit)) return false;
  load_.add(unit);
  ++pairs_;
  if (!may_still_fit()) {
    load_.remove();
    return false;
  }
  rest_.push_back(rest_.back());
  ground_.cover(unit, rest_.back());
  return true;
}

inline bool PieceGrower::reached() {
  if (pairs_ >= kPairsPerLook && !effort_.spend(std::exchange(pairs_, 0))) return false;
  Rest& rest = rest_.back();
  if (rest.work[0] > most_rest_) return true;  // too little for any move
  const std::size_t halves = ground_.workload.halves;
  for (std::size_t h = 0; h < halves; ++h) rest.frontier[h] = load_.frontier(h);
  offers_.clear();
  std::size_t judged_class = kNoClass, judged_replicas = 0;
  bool fits = false;
  for (const Move& move : moves_) {
    if (!space_.capacity.enough(move.to, rest)) continue;
    if (move.device_class != judged_class || move.replicas != judged_replicas) {
      judged_class = move.device_class;
      judged_replicas = move.replicas;
      fits = load_.fits(judged_class, ground_.limits.load, judged_replicas);
    }
    if (!fits) continue;
    const double own = load_.load(move.device_class, halves - 1, move.replicas);
    offers_.push_back({move.to, std::max(move.value, own)});
  }
  if (!offers_.empty()) sets_.offer(walk_.key(), walk_.bits(), offers_);
  return true;
}

// By compute alone, before any net is touched: most attempts end here.
inline bool PieceGrower::quickly_may_fit(std::uint32_t unit) const {
  for (std::size_t c = 0; c < open_.size(); ++c)
    if (open_[c] > 0 && load_.compute(c) + load_.compute_of(unit, c) <
                            ground_.limits.load[0] * static_cast<double>(open_[c]))
      return true;
  return false;
}

inline bool PieceGrower::may_still_fit() const {
  for (std::size_t c = 0; c < open_.size(); ++c)
    for (std::size_t r = 1; r <= open_[c]; ++r)
      if (load_.may_still_fit(c, ground_.limits.load, r)) return true;
  return false;
}

// Walks back from a set of a table along the pieces that gave it its value.
class PieceBacktrack {
 public:
  // A table filled upwards is walked back downwards, and the other way round.
  PieceBacktrack(const SearchGround& ground, const StateSpace& space, IdealWalk::Direction filled,
                 const StateTable& sets);

  // Pieces from the given set back to the one that the table began with; nothing if it has no such
  // way.
  std::optional<PieceChain> pieces(std::vector<std::uint64_t> set, std::uint32_t state,
                                   double value, const std::vector<std::uint64_t>& start);

  bool take(std::uint32_t unit);
  bool reached();
  void give_back(std::uint32_t) { load_.remove(); }

 private:
  std::size_t most_replicas(std::size_t c) const;

  const SearchGround& ground_;
  const StateSpace& space_;
  const StateTable& sets_;
  IdealWalk walk_;
  PieceLoad load_;
  double slack_;
  LoadModel::Halves relaxed_{kInfinity, kInfinity};
  std::size_t state_ = 0;
  double value_ = 0;
  std::vector<StateTable::Entry> entries_;
  StateTable::Entry before_{};
  std::uint32_t class_ = 0, replicas_ = 1;
};

}  // namespace berth
