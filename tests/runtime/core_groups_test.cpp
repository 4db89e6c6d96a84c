#include <doctest/doctest.h>

#include "berth/base/error.h"
#include "berth/runtime/machine.h"

using namespace berth;

namespace {

using Groups = std::vector<std::vector<int>>;

// Two caches of two physical cores each, every core with two hardware threads, numbered the way
// Linux does: second threads after all first ones.
std::vector<Core> two_caches() {
  return {{0, 0, 0}, {1, 0, 1}, {2, 2, 2}, {3, 2, 3}, {4, 0, 0}, {5, 0, 1}, {6, 2, 2}, {7, 2, 3}};
}

}  // namespace

TEST_CASE("the machine's own groups are the cores that share a cache") {
  CHECK(core_groups(two_caches(), std::nullopt) == Groups{{0, 4, 1, 5}, {2, 6, 3, 7}});
}

TEST_CASE("a machine with one cache is divided in two, one with one core is not") {
  CHECK(core_groups({{0, 0, 0}, {1, 0, 1}, {2, 0, 2}}, std::nullopt) == Groups{{0, 1}, {2}});
  CHECK(core_groups({{0, 0, 0}, {1, 0, 0}}, std::nullopt) ==
        Groups{{0, 1}});  // two threads, one core
}

TEST_CASE("a given number of groups keeps the threads of a core together") {
  CHECK(core_groups(two_caches(), 1) == Groups{{0, 4, 1, 5, 2, 6, 3, 7}});
  CHECK(core_groups(two_caches(), 3) == Groups{{0, 4, 1, 5}, {2, 6}, {3, 7}});
  CHECK(core_groups(two_caches(), 4) == Groups{{0, 4}, {1, 5}, {2, 6}, {3, 7}});
}

TEST_CASE("more groups than cores, or none, are refused with what is possible") {
  CHECK_THROWS_WITH_AS(core_groups(two_caches(), 5),
                       "local:5: expected 1 to 4, the number of cores of this machine", Error);
  CHECK_THROWS_AS(core_groups(two_caches(), 0), Error);
}

TEST_CASE("this machine has cores, and each is in exactly one group") {
  const std::vector<Core> cores = usable_cores();
  REQUIRE(!cores.empty());
  std::size_t dealt = 0;
  for (const std::vector<int>& group : core_groups(cores, std::nullopt)) {
    CHECK(!group.empty());
    dealt += group.size();
  }
  CHECK(dealt == cores.size());
}
