#include "berth/learn/post/proximal.h"

#include <cmath>
#include <numeric>

#include <doctest/doctest.h>

namespace berth {
namespace {

DeviceTable random_table(std::size_t groups, std::size_t devices, double spread, Rng& rng) {
  DeviceTable table(devices, std::vector<std::uint8_t>(groups * devices, 1));
  std::vector<double> logits(groups * devices);
  for (double& w : logits) w = spread * rng.normal();
  table.set_logits(logits);
  return table;
}

struct Drawn {
  std::vector<PostSample> samples;
  std::vector<double> advantages;
  ProximalBatch batch() const { return {samples, advantages}; }
};

Drawn draw(const DeviceTable& table, std::size_t count, Rng& rng) {
  Drawn drawn;
  for (std::size_t i = 0; i < count; ++i) {
    drawn.samples.push_back({.devices = table.draw(rng)});
    drawn.advantages.push_back(rng.normal());
  }
  return drawn;
}

TEST_CASE("the gradient of the penalised objective matches its differences") {
  Rng rng(11);
  const DeviceTable old = random_table(5, 3, 1, rng);
  const Drawn drawn = draw(old, 7, rng);
  DeviceTable table = old;
  std::vector<double> logits = old.logits();
  for (double& w : logits) w += 0.3 * rng.normal();
  table.set_logits(logits);
  const std::vector<double> gradient = proximal_gradient(table, old, drawn.batch(), 0.7);
  constexpr double kStep = 1e-6;
  for (std::size_t i = 0; i < logits.size(); ++i) {
    const auto moved = [&](double by) {
      std::vector<double> other = logits;
      other[i] += by;
      DeviceTable next = old;
      next.set_logits(other);
      return proximal_objective(next, old, drawn.batch(), 0.7);
    };
    const double slope = (moved(kStep) - moved(-kStep)) / (2 * kStep);
    CHECK(gradient[i] == doctest::Approx(slope).epsilon(1e-5));
  }
}

TEST_CASE("at the old table the gradient is that of REINFORCE") {
  // One group, u = (0.5, 0.5), one sample on the first device with advantage 2: 2 (1 - 0.5), and
  // 2 (0 - 0.5).
  const DeviceTable old(2, {1, 1});
  const std::vector<PostSample> samples{{.devices = {0}}};
  const std::vector<double> advantages{2};
  CHECK(proximal_gradient(old, old, {samples, advantages}, 5) == std::vector<double>{1, -1});
}

TEST_CASE("ascent raises the objective and what was better than expected") {
  Rng rng(2);
  const DeviceTable old(2, {1, 1});
  const std::vector<PostSample> samples{{.devices = {0}}, {.devices = {1}}};
  const std::vector<double> advantages{1, -1};
  const ProximalResult result = proximal_ascent(old, {samples, advantages}, 1, {});
  CHECK(result.table.probabilities()[0] > 0.5);
  CHECK(proximal_objective(result.table, old, {samples, advantages}, 1) > 0);
  CHECK(result.divergence == doctest::Approx(divergence(old, result.table)));
}

TEST_CASE("the weight of KL follows its target") {
  const DeviceTable old(2, {1, 1});
  const std::vector<PostSample> samples{{.devices = {0}}};
  // A small advantage moves little: KL is far below any target.
  CHECK(proximal_ascent(old, {samples, std::vector<double>{1e-3}}, 1, {}).beta == 0.5);
  // A large one is stopped at twice the target: beta is doubled.
  const ProximalResult far = proximal_ascent(old, {samples, std::vector<double>{50}}, 1, {});
  CHECK(far.divergence > 0.15);
  CHECK(far.divergence <= 0.2);
  CHECK(far.beta == 2);
  // Between target / 1.5 and 1.5 targets it stays: KL of one step of w by (x, -x) is log cosh x,
  // 0.1 at x = 0.45.
  const ProximalResult good = proximal_ascent(old, {samples, std::vector<double>{9}}, 1,
                                              {.steps = 1, .rate = 0.1, .target = 0.1});
  CHECK(good.divergence == doctest::Approx(std::log(std::cosh(0.45))));
  CHECK(good.beta == 1);
}

TEST_CASE("a large weight of KL holds the table, without jumping back and forth") {
  Rng rng(4);
  const DeviceTable old = random_table(20, 3, 1, rng);
  const Drawn drawn = draw(old, 12, rng);
  double before = 1;
  for (const double beta : {10.0, 100.0, 1000.0, 10000.0}) {
    const ProximalResult result = proximal_ascent(old, drawn.batch(), beta, {});
    CHECK(result.divergence < before);
    before = result.divergence;
  }
  CHECK(before < 1e-6);
}

TEST_CASE("with many groups a batch moves the table no farther than twice the target") {
  Rng rng(8);
  const DeviceTable old(4, std::vector<std::uint8_t>(4 * 20000, 1));
  const Drawn drawn = draw(old, 12, rng);
  double beta = 1;
  for (int i = 0; i < 4; ++i) {
    const ProximalResult result = proximal_ascent(old, drawn.batch(), beta, {});
    CHECK(result.divergence <= 0.2);
    beta = result.beta;
  }
  CHECK(beta > 1);
}

TEST_CASE("ratios are clamped, so that no sample becomes infinite") {
  const DeviceTable old(2, std::vector<std::uint8_t>(200, 1));
  DeviceTable table = old;
  std::vector<double> logits(200, 0.0);
  for (std::size_t i = 0; i < 200; i += 2) logits[i] = 10;
  table.set_logits(logits);
  const std::vector<PostSample> samples{{.devices = std::vector<std::uint32_t>(100, 0)}};
  const std::vector<double> advantages{1};
  // log ratio would be 100 log 2 = 69.
  CHECK(proximal_objective(table, old, {samples, advantages}, 0) ==
        doctest::Approx(std::exp(20.0)));
}

TEST_CASE("no steps leave the table, and masks stay") {
  Rng rng(6);
  DeviceTable old(3, {1, 0, 1, 1, 1, 1});
  const Drawn drawn = draw(old, 8, rng);
  CHECK(proximal_ascent(old, drawn.batch(), 1, {.steps = 0}).table.logits() == old.logits());
  const ProximalResult result = proximal_ascent(old, drawn.batch(), 1, {});
  CHECK(result.table.probabilities()[1] == 0);
  CHECK(std::isfinite(result.divergence));
}

}  // namespace
}  // namespace berth
