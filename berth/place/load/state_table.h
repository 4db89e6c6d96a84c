// The sets a search has reached from one end, each with the value of every state reached there.
//
// A state says what is in use (devices by class, or servers by kind); a value is the smallest
// maximum of loads that reaches the set with it. Cut into shards with a lock each, so that threads
// may add at the same time. Entries are minima: the content does not depend on the threads. Memory
// O(sets + entries).
#pragma once

#include <algorithm>
#include <atomic>
#include <memory>
#include <mutex>

#include "berth/graph/ideals.h"

namespace berth {

class StateTable {
 public:
  struct Entry {
    std::uint32_t state, next;  // next entry of the same set
    double value;
  };
  struct Set {
    std::vector<std::uint64_t> bits;
    std::vector<Entry> entries;
  };
  struct Address {
    std::uint32_t shard, set;
  };
  struct Offer {
    std::uint32_t state;
    double value;
  };

  // `level_of` each state; it must outlive the table.
  StateTable(std::size_t units, const std::vector<std::size_t>& level_of, std::size_t shards);

  void clear();
  void offer(std::uint64_t key, std::span<const std::uint64_t> bits,
             std::span<const Offer> offers) {
    Shard& shard = *shards_[shard_of(key)];
    const std::lock_guard lock(shard.mutex);
    const std::uint32_t set = shard.table.insert(key, bits);
    if (set == shard.head.size()) {
      shard.head.push_back(IdealTable::kNone);
      ideals_.fetch_add(1, std::memory_order_relaxed);
    }
    for (const Offer& offer : offers) {
      const std::size_t level = level_of_[offer.state];
      bool listed = false;
      std::uint32_t at = shard.head[set];
      for (; at != IdealTable::kNone && shard.entries[at].state != offer.state;
           at = shard.entries[at].next)
        listed = listed || level_of_[shard.entries[at].state] == level;
      if (at != IdealTable::kNone) {
        shard.entries[at].value = std::min(shard.entries[at].value, offer.value);
        continue;
      }
      shard.entries.push_back({offer.state, shard.head[set], offer.value});
      shard.head[set] = static_cast<std::uint32_t>(shard.entries.size() - 1);
      if (!listed) shard.levels[level].push_back(set);
      entries_.fetch_add(1, std::memory_order_relaxed);
    }
  }

  // All sets with a state of the level.
  std::vector<Address> of_level(std::size_t level) const;
  std::size_t level_size(std::size_t level) const;
  std::vector<Address> all() const;
  // A copy: others may be adding to the shard.
  void read(const Address& at, Set& into) const;
  // Only once nobody adds any more.
  bool find(std::uint64_t key, std::span<const std::uint64_t> bits,
            std::vector<Entry>& entries) const;

  std::size_t ideals() const { return ideals_.load(std::memory_order_relaxed); }
  std::size_t entries() const { return entries_.load(std::memory_order_relaxed); }
  // What sets and entries take, with room to grow.
  std::size_t bytes() const {
    return ideals() * bytes_per_set(units_) + entries() * 2 * sizeof(Entry);
  }
  // Bits and key; hash slots; first entry; place in its level. Twice, for room to grow.
  static std::size_t bytes_per_set(std::size_t units) {
    return 2 * (8 * ideal_words(units) + 8 + 8 + 4 + 4);
  }

 private:
  struct Shard {
    Shard(std::size_t units, std::size_t level_count) : table(units), levels(level_count) {}
    std::mutex mutex;
    IdealTable table;
    std::vector<std::uint32_t> head;  // first entry of each set
    std::vector<Entry> entries;
    std::vector<std::vector<std::uint32_t>> levels;  // sets by level
  };
  std::size_t shard_of(std::uint64_t key) const { return (key >> 48) % shards_.size(); }
  static void collect(const Shard& shard, std::uint32_t set, std::vector<Entry>& entries);

  std::size_t units_, levels_;
  const std::vector<std::size_t>& level_of_;
  std::vector<std::unique_ptr<Shard>> shards_;
  std::atomic<std::size_t> ideals_ = 0, entries_ = 0;
};

}  // namespace berth
