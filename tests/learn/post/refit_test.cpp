#include "berth/learn/post/refit.h"

#include <cmath>

#include <doctest/doctest.h>

namespace berth {
namespace {

PostSample sample(std::vector<std::uint32_t> devices, double value, bool feasible = true) {
  return {.devices = std::move(devices), .value = value, .feasible = feasible};
}

// One group, two devices: three samples on the first take 1 s, seven on the second 2 s.
std::vector<PostSample> three_of_ten() {
  std::vector<PostSample> pool(7, sample({1}, 2));
  pool.insert(pool.begin() + 2, 3, sample({0}, 1));
  return pool;
}

TEST_CASE("the table becomes the elite's shares, smoothed and mixed as asked") {
  DeviceTable table(2, {1, 1});
  REQUIRE(refit(table, three_of_ten(), {.share = 0.3, .smoothing = 1, .mixing = 0}));
  CHECK(table.probabilities() == std::vector<double>{1, 0});
  // 0.7 (1, 0) + 0.3 (0.5, 0.5)
  DeviceTable smooth(2, {1, 1});
  REQUIRE(refit(smooth, three_of_ten(), {.share = 0.3, .smoothing = 0.7, .mixing = 0}));
  CHECK(smooth.probabilities()[0] == doctest::Approx(0.85));
  CHECK(smooth.probabilities()[1] == doctest::Approx(0.15));
  // 0.9 (1, 0) + 0.1 (0.5, 0.5)
  DeviceTable mixed(2, {1, 1});
  REQUIRE(refit(mixed, three_of_ten(), {.share = 0.3, .smoothing = 1, .mixing = 0.1}));
  CHECK(mixed.probabilities()[1] == doctest::Approx(0.05));
}

TEST_CASE("samples that tie with the level all belong to the elite") {
  // ceil(0.1 * 10) = 1, but three samples have its time.
  CHECK(elite_weights(three_of_ten(), 0.1) == std::vector<double>{0, 0, 1, 1, 1, 0, 0, 0, 0, 0});
  // A fourth: all sevens tie too.
  CHECK(elite_weights(three_of_ten(), 0.4) == std::vector<double>(10, 1.0));
}

TEST_CASE("an infeasible sample is never of the elite, however short its time") {
  std::vector<PostSample> pool = three_of_ten();
  pool.push_back(sample({1}, 0.1, false));
  const std::vector<double> weights = elite_weights(pool, 0.2);
  CHECK(weights.back() == 0);
  CHECK(weights[2] == 1);
  CHECK(weights[0] == 0);
}

TEST_CASE("fewer feasible samples than the quantile are all the elite; none leaves the table") {
  // ceil(0.5 * 4) = 2, one is feasible.
  std::vector<PostSample> pool{sample({0}, 1, false), sample({1}, 9), sample({0}, 2, false),
                               sample({0}, 3, false)};
  DeviceTable table(2, {1, 1});
  REQUIRE(refit(table, pool, {.share = 0.5, .smoothing = 1, .mixing = 0}));
  CHECK(table.probabilities() == std::vector<double>{0, 1});
  pool[1].feasible = false;
  DeviceTable same(2, {1, 1});
  CHECK_FALSE(refit(same, pool, {.share = 0.5, .smoothing = 1, .mixing = 0.5}));
  CHECK(same.probabilities() == std::vector<double>{0.5, 0.5});
  CHECK_FALSE(refit(same, {}, {}));
}

TEST_CASE("a refit never gives weight to a device that the group may not use") {
  DeviceTable table(3, {1, 0, 1});
  std::vector<PostSample> pool{sample({2}, 1), sample({0}, 2)};
  REQUIRE(refit(table, pool, {.share = 0.5, .smoothing = 0.7, .mixing = 0.3}));
  CHECK(table.probabilities()[1] == 0);
  // 0.7 (0.7 + 0.15) + 0.15
  CHECK(table.probabilities()[2] == doctest::Approx(0.745));
}

TEST_CASE("uncertain times near the level belong to the elite in part") {
  // Levels at the logarithms 0 and 1: the elite of one ends at 0.5, half a deviation away from
  // either. Phi(0.5) = 0.6915.
  std::vector<PostSample> pool{sample({0}, 1), sample({1}, std::exp(1.0))};
  for (PostSample& each : pool) each.deviation = 1;
  const std::vector<double> weights = elite_weights(pool, 0.5);
  CHECK(weights[0] == doctest::Approx(0.6915).epsilon(1e-4));
  CHECK(weights[1] == doctest::Approx(0.3085).epsilon(1e-4));
  // Nearly certain times are members or not, as certain ones.
  for (PostSample& each : pool) each.deviation = 1e-3;
  CHECK(elite_weights(pool, 0.5) == std::vector<double>{1, 0});
  // All of them: no level, all members.
  CHECK(elite_weights(pool, 1) == std::vector<double>{1, 1});
}

TEST_CASE("rounding does not add a member: a tenth of 640 is 64") {
  std::vector<PostSample> pool;
  for (int i = 0; i < 640; ++i) pool.push_back(sample({0}, 1 + i));
  double members = 0;
  for (const double weight : elite_weights(pool, 0.1)) members += weight;
  CHECK(members == 64);
}

}  // namespace
}  // namespace berth
