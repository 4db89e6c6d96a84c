#include "berth/learn/visit_order.h"

#include <doctest/doctest.h>

#include "berth/base/random.h"

namespace berth {
namespace {

std::vector<std::uint32_t> visits(const VisitOrder& order) {
  std::vector<std::uint32_t> result;
  for (std::size_t step = 0; step < order.size(); ++step) result.push_back(order[step]);
  return result;
}

// 2 -> 0 -> 3, and 1 beside them.
TEST_CASE("seen from a set all others are before it, after it or beside it") {
  const VisitOrder order(Adjacency{{3}, {}, {0}, {}});
  std::vector<std::size_t> position(4);
  for (std::size_t step = 0; step < 4; ++step) position[order[step]] = step;
  CHECK(position[2] < position[0]);
  CHECK(position[0] < position[3]);
  CHECK(order.relation(0, 0) == Relation::kSelf);
  CHECK(order.relation(0, 2) == Relation::kAncestor);
  CHECK(order.relation(3, 2) == Relation::kAncestor);
  CHECK(order.relation(2, 3) == Relation::kDescendant);
  for (const std::uint32_t other : {0, 2, 3}) {
    CHECK(order.relation(1, other) == Relation::kParallel);
    CHECK(order.relation(other, 1) == Relation::kParallel);
  }
}

// 0 -> 1 -> 2 -> 1, 2 -> 3: the edge from 2 back to 1 counts for nothing.
TEST_CASE("a cycle is visited by number, and its edge back makes no ancestor") {
  const VisitOrder order(Adjacency{{1}, {2}, {1, 3}, {}});
  CHECK(visits(order) == std::vector<std::uint32_t>{0, 1, 2, 3});
  CHECK(order.relation(2, 1) == Relation::kAncestor);
  CHECK(order.relation(1, 2) == Relation::kDescendant);
}

bool leads_to(const Adjacency& successors, std::uint32_t from, std::uint32_t to) {
  for (const std::uint32_t next : successors[from])
    if (next == to || leads_to(successors, next, to)) return true;
  return false;
}

TEST_CASE("relations are those of paths, on random graphs whose numbers follow no order") {
  Rng rng(3);
  for (int round = 0; round < 50; ++round) {
    const std::size_t sets = 1 + rng.below(9);
    std::vector<std::uint32_t> name(sets);
    for (std::uint32_t i = 0; i < sets; ++i) name[i] = i;
    rng.shuffle(name);
    Adjacency successors(sets);
    for (std::size_t a = 0; a < sets; ++a)
      for (std::size_t b = a + 1; b < sets; ++b)
        if (rng.below(3) == 0) successors[name[a]].push_back(name[b]);
    const VisitOrder order(successors);
    std::vector<std::size_t> position(sets);
    for (std::size_t step = 0; step < sets; ++step) position[order[step]] = step;
    for (std::uint32_t a = 0; a < sets; ++a)
      for (std::uint32_t b = 0; b < sets; ++b) {
        const Relation expected = a == b                       ? Relation::kSelf
                                  : leads_to(successors, b, a) ? Relation::kAncestor
                                  : leads_to(successors, a, b) ? Relation::kDescendant
                                                               : Relation::kParallel;
        REQUIRE(order.relation(a, b) == expected);
        if (expected == Relation::kAncestor) REQUIRE(position[b] < position[a]);
      }
  }
}

}  // namespace
}  // namespace berth
