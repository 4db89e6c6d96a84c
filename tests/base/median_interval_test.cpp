#include "berth/base/median_interval.h"

#include <vector>

#include <doctest/doctest.h>

using namespace berth;

TEST_CASE("the interval of ten samples leaves out one on each side") {
  // P[binomial(10, 1/2) <= 1] = 11 / 1024 = 0.011, with 2 it would be 0.055.
  const std::vector<double> samples{7, 3, 1, 9, 5, 2, 8, 10, 4, 6};
  CHECK(median_interval(samples) == MedianInterval{5.5, 2, 9});
}

TEST_CASE("few samples give their whole range, below zero as well") {
  CHECK(median_interval(std::vector<double>{-0.5}) == MedianInterval{-0.5, -0.5, -0.5});
  CHECK(median_interval(std::vector<double>{2, -1, 0}) == MedianInterval{0, -1, 2});
  // P[binomial(6, 1/2) = 0] = 1 / 64 = 0.016: the range is an interval of 95 %.
  CHECK(median_interval(std::vector<double>{6, 5, 4, 3, 2, 1}) == MedianInterval{3.5, 1, 6});
}

TEST_CASE("many samples narrow the interval") {
  std::vector<double> samples;
  for (int i = 0; i <= 2000; ++i) samples.push_back(i);
  const MedianInterval interval = median_interval(samples);
  CHECK(interval.median == 1000);
  CHECK(interval.low > 940);
  CHECK(interval.high < 1060);
}
