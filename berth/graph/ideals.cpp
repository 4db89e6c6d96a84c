#include "berth/graph/ideals.h"

#include "berth/base/random.h"
#include "berth/graph/ideal_walk.h"

namespace berth {

std::size_t ideal_words(std::size_t units) { return std::max<std::size_t>(1, (units + 63) / 64); }

std::vector<std::uint64_t> ideal_keys(std::size_t units) {
  Rng rng(0x1dea1);  // fixed: nothing may depend on anything but the units
  std::vector<std::uint64_t> keys(units);
  for (std::uint64_t& key : keys) key = rng();
  return keys;
}

IdealTable::IdealTable(std::size_t units) : words_(ideal_words(units)), slots_(64, kNone) {}

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
  if (2 * (size() + 1) > slots_.size()) {
    slots_.assign(2 * slots_.size(), kNone);
    for (std::uint32_t old = 0; old < size(); ++old) enter(old);
  }
  const std::uint32_t ideal = static_cast<std::uint32_t>(size());
  keys_.push_back(key);
  bits_.insert(bits_.end(), bits.begin(), bits.end());
  enter(ideal);
  return ideal;
}

void IdealTable::enter(std::uint32_t ideal) {
  const std::size_t mask = slots_.size() - 1;
  std::size_t at = keys_[ideal] & mask;
  while (slots_[at] != kNone) at = (at + 1) & mask;
  slots_[at] = ideal;
}

std::size_t IdealTable::memory() const {
  return bits_.capacity() * 8 + keys_.capacity() * 8 + slots_.capacity() * 4;
}

namespace {

struct Counter {
  std::uint64_t limit, count = 1;  // the set the walk starts from is one of them
  static bool take(std::uint32_t) { return true; }
  bool reached() { return ++count <= limit; }
  static void give_back(std::uint32_t) {}
};

}  // namespace

std::optional<std::uint64_t> count_ideals(const UnitOrder& order, std::uint64_t limit) {
  IdealWalk walk(order, IdealWalk::Direction::kUp);
  walk.enter(std::vector<std::uint64_t>(ideal_words(order.count()), 0));
  Counter counter{limit};
  if (limit == 0 || !walk.grow(counter)) return std::nullopt;
  return counter.count;
}

}  // namespace berth
