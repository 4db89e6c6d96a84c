#include "berth/learn/post/table.h"

#include <cmath>

#include <doctest/doctest.h>

namespace berth {
namespace {

DeviceTable random_table(std::size_t groups, std::size_t devices, Rng& rng) {
  DeviceTable table(devices, std::vector<std::uint8_t>(groups * devices, 1));
  std::vector<double> logits(groups * devices);
  for (double& w : logits) w = rng.normal();
  table.set_logits(logits);
  return table;
}

// (value at w + h) - (value at w - h), over 2 h, for one logit.
template <class Value>
double slope(const DeviceTable& table, std::size_t logit, const Value& value) {
  constexpr double kStep = 1e-6;
  const auto moved = [&](double by) {
    std::vector<double> logits = table.logits();
    logits[logit] += by;
    DeviceTable other = table;
    other.set_logits(logits);
    return value(other);
  };
  return (moved(kStep) - moved(-kStep)) / (2 * kStep);
}

TEST_CASE("rows start uniform over what each group may use, and sum to one") {
  // The second group may use the first and the last device only, the third one device.
  const DeviceTable table(3, {1, 1, 1, 1, 0, 1, 0, 1, 0});
  const std::vector<double>& u = table.probabilities();
  CHECK(u[0] == doctest::Approx(1.0 / 3));
  CHECK(u[3] == doctest::Approx(0.5));
  CHECK(u[4] == 0);
  CHECK(u[7] == doctest::Approx(1));
  CHECK(table.entropy_share() == doctest::Approx(1));
  CHECK(table.most_likely()[2] == 1);
}

TEST_CASE("the gradient of log f is what was drawn less what was expected") {
  Rng rng(3);
  const DeviceTable table = random_table(4, 3, rng);
  const std::vector<std::uint32_t> drawn = table.draw(rng);
  for (std::size_t i = 0; i < 12; ++i) {
    const double expected = (drawn[i / 3] == i % 3 ? 1 : 0) - table.probabilities()[i];
    const auto log_f = [&](const DeviceTable& t) { return t.log_probability(drawn); };
    CHECK(slope(table, i, log_f) == doctest::Approx(expected).epsilon(1e-6));
  }
}

TEST_CASE("the gradient of KL is the difference of the tables") {
  Rng rng(5);
  const DeviceTable from = random_table(4, 3, rng), to = random_table(4, 3, rng);
  for (std::size_t i = 0; i < 12; ++i) {
    const double expected = to.probabilities()[i] - from.probabilities()[i];
    const auto kl = [&](const DeviceTable& t) { return divergence(from, t); };
    CHECK(slope(to, i, kl) == doctest::Approx(expected).epsilon(1e-6));
  }
}

TEST_CASE("KL of (0.5, 0.5) to (0.9, 0.1) is 0.5108, and rows add up") {
  // 0.5 log(0.5 / 0.9) + 0.5 log(0.5 / 0.1) = -0.2939 + 0.8047
  const DeviceTable even(2, {1, 1});
  DeviceTable uneven = even;
  uneven.set_weights(std::vector<double>{0.9, 0.1});
  CHECK(divergence(even, uneven) == doctest::Approx(0.5108).epsilon(1e-4));
  CHECK(divergence(even, even) == 0);
  const DeviceTable two(2, {1, 1, 1, 1});
  DeviceTable both = two;
  both.set_weights(std::vector<double>{9, 1, 9, 1});
  CHECK(divergence(two, both) == doctest::Approx(2 * 0.5108).epsilon(1e-4));
}

TEST_CASE("a forbidden device stays at zero, whatever is done to the table") {
  DeviceTable table(3, {1, 0, 1, 0, 1, 1});
  table.set_weights(std::vector<double>{1, 5, 1, 7, 1, 3});
  CHECK(table.probabilities()[0] == doctest::Approx(0.5));
  CHECK(table.probabilities()[5] == doctest::Approx(0.75));
  table.add_to_logits(std::vector<double>{0, 100, 0, 100, 0, 0}, 1);
  table.mix_with_uniform(0.5);
  CHECK(table.probabilities()[1] == 0);
  CHECK(table.probabilities()[3] == 0);
  CHECK(table.probabilities()[4] == doctest::Approx(0.5 * 0.25 + 0.25));
  Rng rng(1);
  for (int i = 0; i < 200; ++i) {
    const std::vector<std::uint32_t> drawn = table.draw(rng);
    CHECK(table.may_use(0, drawn[0]));
    CHECK(table.may_use(1, drawn[1]));
  }
}

TEST_CASE("a row without weight is uniform, and mixing brings back what came to zero") {
  DeviceTable table(2, {1, 1, 1, 1});
  table.set_weights(std::vector<double>{0, 0, 1, 0});
  CHECK(table.probabilities()[0] == doctest::Approx(0.5));
  CHECK(table.probabilities()[3] == 0);
  CHECK(table.log_probability(std::vector<std::uint32_t>{0, 1}) == -INFINITY);
  CHECK(table.entropy_share() == doctest::Approx(0.5));
  table.mix_with_uniform(0.1);
  CHECK(table.probabilities()[2] == doctest::Approx(0.95));
  CHECK(table.probabilities()[3] == doctest::Approx(0.05));
}

TEST_CASE("devices are drawn as often as their probability says") {
  DeviceTable table(3, {1, 1, 1});
  table.set_weights(std::vector<double>{6, 3, 1});
  Rng rng(9);
  std::vector<double> count(3, 0.0);
  for (int i = 0; i < 20000; ++i) ++count[table.draw(rng)[0]];
  CHECK(count[0] / 20000 == doctest::Approx(0.6).epsilon(0.03));
  CHECK(count[2] / 20000 == doctest::Approx(0.1).epsilon(0.1));
}

TEST_CASE("logits far apart neither overflow nor lose the sum of a row") {
  DeviceTable table(2, {1, 1});
  table.set_logits({2000, -2000});
  CHECK(table.probabilities()[0] == 1);
  CHECK(table.probabilities()[1] == 0);
  CHECK(table.log_probability(std::vector<std::uint32_t>{1}) == -4000);
  CHECK(table.entropy_share() == 0);
}

}  // namespace
}  // namespace berth
