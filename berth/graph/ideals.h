// Ideals: sets of units closed under predecessors.
//
// A chain of nested ideals is exactly a split into contiguous pieces whose data flows one way. An
// ideal is a bitset of ceil(n / 64) words, interned in a hash table by a Zobrist key (one random
// word per unit, xor), so that adding a unit costs one xor and one probe. w parallel chains of
// length s have (s + 1)^w ideals: counting them first, which needs no table (ideal_walk.h), tells
// what a method is in for.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace berth {

// Direct neighbours of each unit; units are numbered in a topological order.
struct UnitOrder {
  std::vector<std::vector<std::uint32_t>> before, after;
  std::size_t count() const { return before.size(); }
};

// The number of ideals, the empty and the full one included; nothing when there are more than
// `limit`. Some 10 ns for each; memory O(units).
std::optional<std::uint64_t> count_ideals(const UnitOrder& order, std::uint64_t limit);

// What an ideal of so many units takes: words of its bitset, and the random word of each unit.
std::size_t ideal_words(std::size_t units);
std::vector<std::uint64_t> ideal_keys(std::size_t units);

// A growing set of ideals with numbers 0, 1, ... in order of insertion.
class IdealTable {
 public:
  explicit IdealTable(std::size_t units);

  std::size_t size() const { return keys_.size(); }
  std::size_t words() const { return words_; }
  std::span<const std::uint64_t> bits(std::uint32_t ideal) const {
    return {bits_.data() + ideal * words_, words_};
  }
  std::uint64_t key(std::uint32_t ideal) const { return keys_[ideal]; }

  static constexpr std::uint32_t kNone = 0xffffffff;
  // The number of the ideal with these bits, or kNone. `key` is the xor of its units' keys.
  std::uint32_t find(std::uint64_t key, std::span<const std::uint64_t> bits) const;
  std::uint32_t insert(std::uint64_t key, std::span<const std::uint64_t> bits);

  // Bytes held, capacity included.
  std::size_t memory() const;

 private:
  void enter(std::uint32_t ideal);  // into its slot

  std::size_t words_;
  std::vector<std::uint64_t> bits_, keys_;
  std::vector<std::uint32_t> slots_;  // open addressing; kNone is empty
};

}  // namespace berth
