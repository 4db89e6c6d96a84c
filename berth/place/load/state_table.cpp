#include "berth/place/load/state_table.h"

namespace berth {

StateTable::StateTable(std::size_t units, const std::vector<std::size_t>& level_of,
                       std::size_t shards)
    : units_(units),
      levels_(1 + *std::max_element(level_of.begin(), level_of.end())),
      level_of_(level_of) {
  for (std::size_t i = 0; i < shards; ++i)
    shards_.push_back(std::make_unique<Shard>(units, levels_));
}

void StateTable::clear() {
  for (std::unique_ptr<Shard>& shard : shards_) shard = std::make_unique<Shard>(units_, levels_);
  ideals_ = 0;
  entries_ = 0;
}

std::vector<StateTable::Address> StateTable::of_level(std::size_t level) const {
  std::vector<Address> all;
  for (std::uint32_t s = 0; s < shards_.size(); ++s)
    for (const std::uint32_t set : shards_[s]->levels[level]) all.push_back({s, set});
  return all;
}

std::size_t StateTable::level_size(std::size_t level) const {
  std::size_t size = 0;
  for (const std::unique_ptr<Shard>& shard : shards_) size += shard->levels[level].size();
  return size;
}

std::vector<StateTable::Address> StateTable::all() const {
  std::vector<Address> all;
  for (std::uint32_t s = 0; s < shards_.size(); ++s)
    for (std::uint32_t set = 0; set < shards_[s]->head.size(); ++set) all.push_back({s, set});
  return all;
}

void StateTable::read(const Address& at, Set& into) const {
  Shard& shard = *shards_[at.shard];
  const std::lock_guard lock(shard.mutex);
  const std::span<const std::uint64_t> bits = shard.table.bits(at.set);
  into.bits.assign(bits.begin(), bits.end());
  collect(shard, at.set, into.entries);
}

bool StateTable::find(std::uint64_t key, std::span<const std::uint64_t> bits,
                      std::vector<Entry>& entries) const {
  const Shard& shard = *shards_[shard_of(key)];
  const std::uint32_t set = shard.table.find(key, bits);
  if (set == IdealTable::kNone) return false;
  collect(shard, set, entries);
  return true;
}

void StateTable::collect(const Shard& shard, std::uint32_t set, std::vector<Entry>& entries) {
  entries.clear();
  for (std::uint32_t at = shard.head[set]; at != IdealTable::kNone; at = shard.entries[at].next)
    entries.push_back(shard.entries[at]);
}

}  // namespace berth
