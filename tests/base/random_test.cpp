#include "berth/base/random.h"

#include <numeric>
#include <vector>

#include <doctest/doctest.h>

using namespace berth;

// The golden values come from an independent implementation of xoshiro256** seeded by splitmix64.

TEST_CASE("one seed gives the same numbers on every platform") {
  Rng one(1);
  CHECK(one() == 0xb3f2af6d0fc710c5ULL);
  CHECK(one() == 0x853b559647364ceaULL);
  CHECK(one() == 0x92f89756082a4514ULL);
  CHECK(one() == 0x642e1c7bc266a3a7ULL);
  Rng answer(42);
  CHECK(answer() == 0x15780b2e0c2ec716ULL);
  CHECK(answer() == 0x6104d9866d113a7eULL);
}

TEST_CASE("named and numbered streams depend on the seed and the name only") {
  Rng rng(1);
  CHECK(rng.split("weights")() == 0x47f60a0fe57d570cULL);
  CHECK(rng.split("rollout")() == 0x113844cc1af14a1eULL);
  CHECK(rng.split(0)() == 0xbf2db2c021bbe63dULL);
  CHECK(rng.split(1)() == 0x89faeafca43b9699ULL);
  for (int i = 0; i < 100; ++i) rng();
  CHECK(rng.split("weights")() == 0x47f60a0fe57d570cULL);
}

TEST_CASE("uniform draws lie in [0, 1) and follow the generator") {
  Rng rng(7);
  CHECK(rng.uniform() == 0.7005764821796896);
  CHECK(rng.uniform() == 0.2787512294737843);
  CHECK(rng.uniform() == 0.8396274618764198);
  for (int i = 0; i < 10000; ++i) {
    const double u = rng.uniform();
    REQUIRE(u >= 0);
    REQUIRE(u < 1);
  }
}

TEST_CASE("below draws every number of its range about equally often") {
  Rng rng(7);
  for (const std::size_t expected : {7, 2, 8, 9, 9, 8, 0, 1, 4, 1, 5, 7})
    CHECK(rng.below(10) == expected);
  std::vector<int> count(5);
  for (int i = 0; i < 50000; ++i) ++count[rng.below(5)];
  // Mean 10000, standard deviation 89: five of them either way.
  for (const int n : count) CHECK(std::abs(n - 10000) < 450);
  CHECK(rng.below(1) == 0);
}

TEST_CASE("a shuffle is a permutation and repeats itself") {
  Rng rng(3);
  std::vector<int> items(6);
  std::iota(items.begin(), items.end(), 0);
  rng.shuffle(items);
  CHECK(items == std::vector<int>{2, 5, 1, 0, 3, 4});
}

TEST_CASE("exponential and normal draws have the moments of their laws") {
  Rng rng(5);
  double exponential = 0, normal = 0, square = 0;
  constexpr int kDraws = 100000;
  for (int i = 0; i < kDraws; ++i) {
    const double e = rng.exponential();
    REQUIRE(e >= 0);
    exponential += e;
    const double n = rng.normal();
    normal += n;
    square += n * n;
  }
  // Standard deviations of the means: 0.0032, 0.0032, 0.0045.
  CHECK(exponential / kDraws == doctest::Approx(1).epsilon(0.02));
  CHECK(std::abs(normal / kDraws) < 0.02);
  CHECK(square / kDraws == doctest::Approx(1).epsilon(0.03));
}
