#include "berth/learn/walk.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include <doctest/doctest.h>

#include "tests/support/sketch.h"

namespace berth {
namespace {

Scored scored(std::uint32_t device, double micros) {
  return {SetDevices(3, device), {.value = Duration{micros}}};
}

TEST_CASE("a walk begins at the best, takes over a new best, and goes on to what is not worse") {
  Walk walk;
  Rng rng(1);
  Elite elite(4);
  walk.look_at(elite, rng);
  CHECK_FALSE(walk.has_begun());
  elite.admit(scored(0, 10));
  walk.look_at(elite, rng);
  CHECK(walk.at() == scored(0, 10));
  // As good as the base: a plateau is crossed.
  walk.step(std::vector{scored(1, 12), scored(2, 10)}, 1, rng);
  CHECK(walk.at() == scored(2, 10));
  elite.admit(scored(3, 9));
  walk.look_at(elite, rng);
  CHECK(walk.at() == scored(3, 9));
}

TEST_CASE("a walk goes to what is worse in the beginning only") {
  // A rise of 0.3 % is accepted in the beginning with probability 1 / e, at the end never.
  int early = 0, late = 0;
  for (std::uint64_t seed = 1; seed <= 1000; ++seed) {
    for (const double progress : {0.0, 1.0}) {
      Walk walk;
      Rng rng(seed);
      walk.step(std::vector{scored(0, 1000)}, progress, rng);
      walk.step(std::vector{scored(1, 1003)}, progress, rng);
      (progress == 0 ? early : late) += walk.at().devices.front() == 1 ? 1 : 0;
    }
  }
  CHECK(std::abs(early - 368) < 60);
  CHECK(late == 0);
}

TEST_CASE("a walk that is saved goes on from where it was") {
  Walk walk, again;
  Rng rng(1);
  Elite elite(1);
  elite.admit(scored(0, 10));
  walk.look_at(elite, rng);
  walk.step(std::vector{scored(1, 10)}, 0, rng);
  Archive archive;
  walk.save(archive);
  again.load(archive);
  CHECK(again.at() == walk.at());
  Rng one(8), other(8);
  walk.look_at(elite, one);
  again.look_at(elite, other);
  CHECK(again.at() == walk.at());
}

TEST_CASE("regions are connected, distinct sets, small ones mostly") {
  Sketch sketch("chain", 2);
  NodeId last = sketch.node("0", {1, 1});
  for (int i = 1; i < 100; ++i) {
    const NodeId node = sketch.node(std::to_string(i), {1, 1});
    sketch.tensor(last, 1, {node});
    last = node;
  }
  const PolicyGraph graph = policy_graph(sketch.build(), Colocation::kUnits);
  Rng rng(1);
  std::size_t small = 0, large = 0;
  for (SetGroup region : walk_regions(graph, 400, rng)) {
    REQUIRE_FALSE(region.empty());
    std::ranges::sort(region);
    // Connected in a chain: an interval.
    CHECK(region.back() - region.front() + 1 == region.size());
    small += region.size() <= 4 ? 1 : 0;
    large += region.size() >= 10 ? 1 : 0;
    CHECK(region.size() <= 20);  // 2 sqrt(100)
  }
  CHECK(small > 150);
  CHECK(large > 50);
}

TEST_CASE("changes that are better alone are put together, the best of them first") {
  const Scored base{{0, 0, 0, 0}, {.value = Duration{10}}};
  const Scored good{{1, 0, 0, 0}, {.value = Duration{9}}};
  const Scored best{{2, 0, 0, 1}, {.value = Duration{8}}};
  const Scored bad{{0, 1, 0, 0}, {.value = Duration{11}}};
  CHECK(combined(base, std::vector{good, bad, best}) == std::vector<SetDevices>{{2, 0, 0, 1}});
  const Scored other{{0, 0, 1, 0}, {.value = Duration{9}}};
  CHECK(combined(base, std::vector{other, bad, best}) == std::vector<SetDevices>{{2, 0, 1, 1}});
  CHECK(combined(base, std::vector{good, bad}).empty());
}

}  // namespace
}  // namespace berth
