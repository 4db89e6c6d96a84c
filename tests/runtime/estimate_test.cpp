#include "berth/runtime/estimate.h"

#include <vector>

#include <doctest/doctest.h>

#include "berth/base/random.h"

using namespace berth;

namespace {

std::vector<Duration> counted(int n) {
  std::vector<Duration> samples;
  for (int i = n; i >= 1; --i) samples.emplace_back(i);
  return samples;
}

}  // namespace

TEST_CASE("the interval of the median leaves out what the binomial allows") {
  // n = 5: P[none below] = 1/32 > 2.5 %, so the whole range.
  CHECK(estimate(counted(5)) == Estimate{Duration{3}, Duration{1}, Duration{5}, 5});
  // n = 6: P[none] = 1/64 <= 2.5 %, P[at most one] = 7/64: still the whole range, now at 97 %.
  CHECK(estimate(counted(6)) == Estimate{Duration{3.5}, Duration{1}, Duration{6}, 6});
  // n = 9: P[at most one] = 10/512 = 1.95 %: one sample left out on each side.
  CHECK(estimate(counted(9)) == Estimate{Duration{5}, Duration{2}, Duration{8}, 9});
  // n = 20: P[at most five] = 2.07 %, the textbook's ranks 6 and 15.
  CHECK(estimate(counted(20)) == Estimate{Duration{10.5}, Duration{6}, Duration{15}, 20});
  CHECK(estimate(counted(1)) == Estimate{Duration{1}, Duration{1}, Duration{1}, 1});
}

TEST_CASE("the interval holds the true median in at least 95 of 100 cases") {
  Rng rng(11);
  int held = 0;
  constexpr int kRounds = 4000;
  for (int round = 0; round < kRounds; ++round) {
    std::vector<Duration> samples;
    for (int i = 0; i < 15; ++i) samples.emplace_back(rng.exponential());
    const Estimate guess = estimate(samples);
    const Duration truth{0.6931471805599453};  // of the exponential distribution
    held += guess.low <= truth && truth <= guess.high;
  }
  CHECK(held >= kRounds * 95 / 100);
}

TEST_CASE("many samples: the same width as the exact ranks, without overflow") {
  const Estimate guess = estimate(counted(5001));
  CHECK(guess.median == Duration{2501});
  // 2501 +- 0.98 sqrt(5001) = 69.3
  CHECK(guess.low == Duration{2432});
  CHECK(guess.high == Duration{2570});
}
