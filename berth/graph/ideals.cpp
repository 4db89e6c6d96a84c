#include "berth/graph/ideals.h"

#include <algorithm>
#include <bit>

#include "berth/base/random.h"

namespace berth {

IdealTable::IdealTable(std::size_t units) : words_(std::max<std::size_t>(1, (units + 63) / 64)) {
  Rng rng(0x1dea1);  // fixed: the table's behaviour must not depend on anything but the units
  for (std::size_t i = 0; i < units; ++i) unit_keys_.push_back(rng());
  slots_.assign(1024, kNone);
}

std::uint32_t IdealTable::find(std::uint64_t key, std::span<const std::uint64_t> bits) const {
  const std::size_t mask = slots_.size() - 1;
  for (std::size_t at = key & mask;; at = (at + 1) & mask) {
    const std::uint32_t ideal = slots_[at];
    if (ideal == kNone) return kNone;
    if (keys_[ideal] == key && std::equal(bits.begin(), bits.end(), &bits_[ideal * words_]))
      return ideal;
  }
}

std::uint32_t IdealTable::insert(std::uint64_t key, std::span<const std::uint64_t> bits) {
  const std::uint32_t known = find(key, bits);
  if (known != kNone) return known;
  if (2 * (size() + 1) > slots_.size()) grow();
  const std::uint32_t ideal = static_cast<std::uint32_t>(size());
  keys_.push_back(key);
  bits_.insert(bits_.end(), bits.begin(), bits.end());
  const std::size_t mask = slots_.size() - 1;
  std::size_t at = key & mask;
  while (slots_[at] != kNone) at = (at + 1) & mask;
  slots_[at] = ideal;
  return ideal;
}

void IdealTable::grow() {
  slots_.assign(2 * slots_.size(), kNone);
  const std::size_t mask = slots_.size() - 1;
  for (std::uint32_t ideal = 0; ideal < size(); ++ideal) {
    std::size_t at = keys_[ideal] & mask;
    while (slots_[at] != kNone) at = (at + 1) & mask;
    slots_[at] = ideal;
  }
}

std::size_t IdealTable::memory() const {
  return bits_.capacity() * 8 + keys_.capacity() * 8 + slots_.capacity() * 4;
}

std::optional<std::uint64_t> count_ideals(const UnitOrder& order, std::uint64_t limit) {
  const std::size_t units = order.count();
  IdealTable layer(units);
  std::vector<std::uint64_t> bits(layer.words(), 0);
  layer.insert(0, bits);
  std::uint64_t total = 1;
  std::vector<std::uint32_t> missing(units);
  for (std::size_t size = 0; size < units; ++size) {
    IdealTable next(units);
    for (std::uint32_t ideal = 0; ideal < layer.size(); ++ideal) {
      const std::span<const std::uint64_t> at = layer.bits(ideal);
      std::copy(at.begin(), at.end(), bits.begin());
      const auto holds = [&](std::uint32_t unit) { return (bits[unit / 64] >> (unit % 64)) & 1; };
      for (std::uint32_t unit = 0; unit < units; ++unit) {
        if (holds(unit)) continue;
        const auto& before = order.before[unit];
        if (!std::all_of(before.begin(), before.end(), holds)) continue;
        bits[unit / 64] ^= std::uint64_t{1} << (unit % 64);
        next.insert(layer.key(ideal) ^ layer.unit_key(unit), bits);
        bits[unit / 64] ^= std::uint64_t{1} << (unit % 64);
        if (total + next.size() > limit) return std::nullopt;
      }
    }
    total += next.size();
    layer = std::move(next);
  }
  return total;
}

}  // namespace berth
