#include "berth/learn/moving_baseline.h"

#include <doctest/doctest.h>

namespace berth {
namespace {

TEST_CASE("a reward is the root of the relative time, and shorter is better") {
  const RootReward reward;
  CHECK(reward({.value = Duration{4}}, Duration{1}) == -2);
  CHECK(reward({.value = Duration{1}}, Duration{4}) == -0.5);
  CHECK(reward({.value = Duration{1e9}}, Duration{1}) == -10);  // no worse than a failure
}

TEST_CASE("what does not fit counts as a constant, and worse the more it overflows") {
  RootReward reward;
  CHECK(reward({.value = Duration{1}, .overflow = 0.5}, Duration{1}) == -12);
  CHECK(reward({.value = Duration{1}, .overflow = 1e9}, Duration{1}) == -50);
  CHECK(reward({.value = kForever}, Duration{1}) == -10);
  reward.graded = false;
  CHECK(reward({.value = Duration{1}, .overflow = 0.5}, Duration{1}) == -10);
}

TEST_CASE("rewards are compared with the average of the updates before") {
  MovingBaseline baseline(0.9);
  // The first has its own mean, 2; then 0.9 * 2 + 0.1 * 2 = 2; then 0.9 * 2 + 0.1 * 7 = 2.5.
  CHECK(baseline.advantages(std::vector<double>{1, 3}) == std::vector<double>{-1, 1});
  CHECK(baseline.advantages(std::vector<double>{6, 8}) == std::vector<double>{4, 6});
  Archive archive;
  baseline.save(archive);
  MovingBaseline other(0.9);
  other.load(archive);
  const std::vector<double> next = other.advantages(std::vector<double>{0});
  CHECK(next.front() == doctest::Approx(-2.5));
  CHECK(next == baseline.advantages(std::vector<double>{0}));
}

}  // namespace
}  // namespace berth
