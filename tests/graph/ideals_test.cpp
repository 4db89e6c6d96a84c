#include "berth/graph/ideals.h"

#include <set>

#include <doctest/doctest.h>

#include "berth/base/random.h"
#include "berth/graph/ideal_walk.h"

using namespace berth;

namespace {

UnitOrder random_order(Rng& rng, std::uint32_t units) {
  UnitOrder order;
  order.before.resize(units);
  order.after.resize(units);
  for (std::uint32_t to = 1; to < units; ++to)
    for (std::uint32_t from = 0; from < to; ++from)
      if (rng.below(4) == 0) {
        order.before[to].push_back(from);
        order.after[from].push_back(to);
      }
  return order;
}

bool is_ideal(const UnitOrder& order, std::uint64_t set) {
  for (std::uint32_t unit = 0; unit < order.count(); ++unit)
    if ((set >> unit) & 1)
      for (const std::uint32_t before : order.before[unit])
        if (!((set >> before) & 1)) return false;
  return true;
}

// Notes every set it is shown, and goes everywhere.
struct Notes {
  const IdealWalk& walk;
  std::multiset<std::uint64_t> seen{};
  static bool take(std::uint32_t) { return true; }
  bool reached() {
    seen.insert(walk.bits()[0]);
    return true;
  }
  static void give_back(std::uint32_t) {}
};

}  // namespace

TEST_CASE("a walk meets every larger ideal once, upwards and downwards") {
  Rng rng(3);
  for (int round = 0; round < 60; ++round) {
    const std::uint32_t units = 1 + static_cast<std::uint32_t>(rng.below(9));
    const UnitOrder order = random_order(rng, units);
    const std::uint64_t full = (std::uint64_t{1} << units) - 1;
    std::uint64_t ideals = 0;
    for (std::uint64_t set = 0; set <= full; ++set) {
      if (!is_ideal(order, set)) continue;
      ++ideals;
      std::multiset<std::uint64_t> above, below;
      for (std::uint64_t other = 0; other <= full; ++other) {
        if (other == set || !is_ideal(order, other)) continue;
        if ((other & set) == set) above.insert(other);
        if ((other & set) == other) below.insert(full & ~other);
      }
      IdealWalk up(order, IdealWalk::Direction::kUp), down(order, IdealWalk::Direction::kDown);
      Notes met_up{up}, met_down{down};
      up.enter(std::vector<std::uint64_t>{set});
      CHECK(up.grow(met_up));
      CHECK(met_up.seen == above);
      // Downwards the walk grows the complement.
      down.enter(std::vector<std::uint64_t>{full & ~set});
      CHECK(down.grow(met_down));
      CHECK(met_down.seen == below);
    }
    CHECK(count_ideals(order, ideals) == ideals);
    CHECK_FALSE(count_ideals(order, ideals - 1));
  }
}

TEST_CASE("parallel chains have (length + 1) ^ chains ideals") {
  UnitOrder order;
  order.before.resize(12);
  order.after.resize(12);
  for (std::uint32_t unit = 0; unit < 12; ++unit) {
    if (unit % 4 == 3) continue;
    order.after[unit].push_back(unit + 1);
    order.before[unit + 1].push_back(unit);
  }
  CHECK(count_ideals(order, 1000) == 125);
}
