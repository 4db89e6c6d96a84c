// All sets that a covered set can grow into unit by unit, each exactly once.
//
// Upwards, a covered set is an ideal: a unit may join when all before it have. Downwards it is the
// complement of one: a unit may join when all after it have. Both walks are the same with the
// order turned round. Depth first; a unit that was passed over stays out below that point, which is
// why no set is met twice and nothing has to be remembered about those met. O(degree) per set.
//
// The visitor decides how far to go:
//   bool take(unit)      the unit would join; false: it, and every larger set with it, is of no use
//   bool reached()       the unit has joined, the walk stands at the new set; false ends the walk
//   void give_back(unit) the unit leaves again
#pragma once

#include "berth/base/id_lists.h"
#include "berth/graph/ideals.h"

namespace berth {

class IdealWalk {
 public:
  enum class Direction : std::uint8_t { kUp, kDown };

  IdealWalk(const UnitOrder& order, Direction direction)
      : awaits_(direction == Direction::kUp ? order.before : order.after),
        keys_(ideal_keys(order.count())),
        bits_(ideal_words(order.count()), 0),
        missing_(order.count(), 0) {
    for (const auto& opens : direction == Direction::kUp ? order.after : order.before) {
      opens_.push(opens);
      opens_.close();
    }
  }

  // Stands at this set. O(units + order).
  void enter(std::span<const std::uint64_t> covered) {
    std::copy(covered.begin(), covered.end(), bits_.begin());
    candidates_.clear();
    steps_.clear();
    key_ = 0;
    size_ = 0;
    for (std::uint32_t u = 0; u < missing_.size(); ++u) {
      if (holds(u)) {
        key_ ^= keys_[u];
        ++size_;
        continue;
      }
      missing_[u] = 0;
      for (const std::uint32_t other : awaits_[u]) missing_[u] += !holds(other);
      if (missing_[u] == 0) candidates_.push_back(u);
    }
  }

  // Visits every larger set. False if the visitor ended the walk, which then stands where it ended.
  template <class Visitor>
  bool grow(Visitor& visitor) {
    for (std::size_t i = 0;; ++i) {
      if (i < candidates_.size()) {
        const std::uint32_t unit = candidates_[i];
        if (!visitor.take(unit)) continue;
        steps_.push_back({i, candidates_.size()});
        flip(unit);
        ++size_;
        for (const std::uint32_t other : opens_[unit])
          if (--missing_[other] == 0) candidates_.push_back(other);
        if (!visitor.reached()) return false;
        continue;
      }
      if (steps_.empty()) return true;
      i = steps_.back().candidate;
      candidates_.resize(steps_.back().known);
      steps_.pop_back();
      const std::uint32_t unit = candidates_[i];
      for (const std::uint32_t other : opens_[unit]) ++missing_[other];
      --size_;
      flip(unit);
      visitor.give_back(unit);
    }
  }

  bool holds(std::uint32_t unit) const { return (bits_[unit / 64] >> (unit % 64)) & 1; }
  std::span<const std::uint64_t> bits() const { return bits_; }
  std::uint64_t key() const { return key_; }
  std::size_t size() const { return size_; }
  // Units that may join next, as of the set that was entered.
  std::span<const std::uint32_t> candidates() const { return candidates_; }
  // In or out, without a look at the order; the caller puts it back.
  void flip(std::uint32_t unit) {
    bits_[unit / 64] ^= std::uint64_t{1} << (unit % 64);
    key_ ^= keys_[unit];
  }

 private:
  struct Step {
    std::size_t candidate, known;  // which one joined, and how many there were then
  };

  const std::vector<std::vector<std::uint32_t>>& awaits_;
  std::vector<std::uint64_t> keys_, bits_;
  std::vector<std::uint32_t> missing_, candidates_;
  IdLists<std::uint32_t, std::uint32_t> opens_;  // the units that wait for a unit
  std::vector<Step> steps_;
  std::uint64_t key_ = 0;
  std::size_t size_ = 0;
};

}  // namespace berth
