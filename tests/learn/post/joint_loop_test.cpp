#include "berth/learn/post/joint_loop.h"

#include <cmath>

#include <doctest/doctest.h>

namespace berth {
namespace {

DeviceTable uniform(std::size_t groups, std::size_t devices) {
  return DeviceTable(devices, std::vector<std::uint8_t>(groups * devices, 1));
}

PostSample sample(std::vector<std::uint32_t> devices, double value, bool feasible = true) {
  return {.devices = std::move(devices), .value = value, .feasible = feasible};
}

// A refit after four samples, to the best half, nothing smoothed or mixed.
JointLoopOptions plain() {
  JointLoopOptions options;
  options.refit_after = 4;
  options.refit = {.share = 0.5, .smoothing = 1, .mixing = 0};
  options.best = 0;
  return options;
}

TEST_CASE("a refit takes the place of the proximal step when both fall due") {
  JointLoop loop(uniform(1, 2), plain());
  const std::vector<PostSample> batch{sample({0}, 1), sample({1}, 2)};
  const JointLoop::Update first = loop.learn(batch);
  CHECK_FALSE(first.refitted);
  CHECK(first.divergence > 0);
  CHECK(loop.table().probabilities()[0] > 0.5);
  CHECK(loop.table().probabilities()[0] < 1);
  const JointLoop::Update second = loop.learn(batch);
  CHECK(second.refitted);
  CHECK(second.divergence == 0);
  CHECK(loop.table().probabilities() == std::vector<double>{1, 0});
}

TEST_CASE("either update can be left out") {
  const std::vector<PostSample> batch{sample({0}, 1), sample({1}, 2)};
  JointLoopOptions refits = plain();
  refits.proximal.steps = 0;
  JointLoop only_refits(uniform(1, 2), refits);
  only_refits.learn(batch);
  CHECK(only_refits.table().probabilities() == std::vector<double>{0.5, 0.5});
  CHECK(only_refits.learn(batch).refitted);

  JointLoopOptions steps = plain();
  steps.refit_after.reset();
  JointLoop only_steps(uniform(1, 2), steps);
  for (int i = 0; i < 50; ++i) CHECK_FALSE(only_steps.learn(batch).refitted);
  CHECK(only_steps.table().probabilities()[0] > 0.6);
}

TEST_CASE("the best samples so far belong to every pool") {
  // One good sample in the first pool, none in the second.
  const std::vector<PostSample> good{sample({0}, 1), sample({1}, 2)},
      bad{sample({1}, 2), sample({1}, 3)};
  for (const std::size_t best : {0, 1}) {
    JointLoopOptions options = plain();
    options.best = best;
    options.proximal.steps = 0;
    options.refit.share = 0.25;
    options.refit.mixing = 0.5;
    JointLoop loop(uniform(1, 2), options);
    loop.learn(good);
    REQUIRE(loop.learn(bad).refitted);
    loop.learn(bad);
    REQUIRE(loop.learn(bad).refitted);
    // Of a pool of four the best one, or two that tie; of a pool of five the best two: the first
    // device and both that tie for the second.
    CHECK(loop.table().probabilities()[0] == doctest::Approx(best == 0 ? 0.25 : 0.25 + 0.5 / 3));
    CHECK(loop.best().front().value == 1);
  }
}

TEST_CASE("samples that do not fit move the table and change no refit") {
  JointLoop loop(uniform(1, 2), plain());
  loop.learn(std::vector<PostSample>{sample({0}, 1, false), sample({1}, 2, false)});
  const std::vector<double> before = loop.table().probabilities();
  CHECK(before[0] > 0.5);
  loop.learn(std::vector<PostSample>{sample({0}, 1, false), sample({1}, 2, false)});
  CHECK(loop.table().probabilities() == before);
  CHECK(loop.best().empty());
}

TEST_CASE("the table is settled after five refits without a better sample, or when it is sharp") {
  JointLoopOptions options = plain();
  options.refit.mixing = 0.5;
  JointLoop loop(uniform(1, 2), options);
  const std::vector<PostSample> pool(4, sample({0}, 1));
  loop.learn(pool);
  for (int i = 0; i < 5; ++i) {
    CHECK_FALSE(loop.is_settled());
    loop.learn(pool);
  }
  CHECK(loop.is_settled());
  // 0.75 and 0.25, halfway back to 0.5.
  CHECK(loop.table().probabilities()[0] == doctest::Approx(0.75));
  loop.restart();
  CHECK(loop.table().probabilities()[0] == doctest::Approx(0.625));
  CHECK_FALSE(loop.is_settled());
  // A better sample starts the count anew.
  for (int i = 0; i < 4; ++i) loop.learn(pool);
  loop.learn(std::vector<PostSample>(4, sample({1}, 0.5)));
  loop.learn(pool);
  CHECK_FALSE(loop.is_settled());

  JointLoop sharp(uniform(1, 2), plain());
  sharp.learn(pool);
  CHECK(sharp.is_settled());
}

TEST_CASE("neither form of advantages depends on the unit of time") {
  for (const bool scaled : {true, false}) {
    JointLoopOptions options = plain();
    options.scaled_advantages = scaled;
    options.refit_after.reset();
    JointLoop seconds(uniform(2, 2), options), hours(uniform(2, 2), options);
    for (int i = 0; i < 3; ++i) {
      seconds.learn(std::vector<PostSample>{sample({0, 1}, 7200), sample({1, 1}, 3600)});
      hours.learn(std::vector<PostSample>{sample({0, 1}, 2), sample({1, 1}, 1)});
    }
    for (std::size_t i = 0; i < 4; ++i)
      CHECK(seconds.table().probabilities()[i] ==
            doctest::Approx(hours.table().probabilities()[i]));
    CHECK(hours.table().probabilities()[1] > 0.5);
  }
}

TEST_CASE("a batch of equal times moves nothing") {
  JointLoop loop(uniform(2, 2), plain());
  loop.learn(std::vector<PostSample>{sample({0, 1}, 3), sample({1, 1}, 3)});
  for (const double u : loop.table().probabilities()) CHECK(u == doctest::Approx(0.5));
  CHECK_FALSE(loop.learn({}).refitted);
}

// Each group's time depends on its device alone: device g mod 3 is the best of group g.
double separable(const std::vector<std::uint32_t>& devices) {
  double sum = 1;
  for (std::size_t g = 0; g < devices.size(); ++g) sum += devices[g] == g % 3 ? 0 : 1;
  return sum;
}

TEST_CASE("both updates together find the optimum of twenty groups that do not interact") {
  JointLoopOptions options;
  options.refit = {.share = 0.1, .smoothing = 0.7, .mixing = 0.05};
  JointLoop loop(uniform(20, 3), options);
  Rng rng(1);
  for (int update = 0; update < 100; ++update) {
    std::vector<PostSample> batch;
    for (int i = 0; i < 64; ++i) {
      const std::vector<std::uint32_t> devices = loop.table().draw(rng);
      batch.push_back(sample(devices, separable(devices)));
    }
    loop.learn(batch);
  }
  CHECK(loop.best().front().value == 1);
  CHECK(separable(loop.table().most_likely()) == 1);
}

TEST_CASE("a loop that is saved and loaded goes on as if never interrupted") {
  JointLoopOptions options = plain();
  options.refit_after = 9;
  options.best = 2;
  JointLoop first(DeviceTable(3, {1, 0, 1, 1, 1, 1}), options);
  JointLoop second = first;
  Rng rng(3);
  for (int update = 0; update < 11; ++update) {
    std::vector<PostSample> batch;
    for (int i = 0; i < 3; ++i) {
      const std::vector<std::uint32_t> devices = first.table().draw(rng);
      batch.push_back(sample(devices, separable(devices) + 0.1 * i, update != 4));
    }
    first.learn(batch);
    second.learn(batch);
    Archive archive;
    second.save(archive);
    JointLoop loaded(DeviceTable(3, {1, 0, 1, 1, 1, 1}), options);
    loaded.load(archive);
    second = loaded;
  }
  CHECK(second.table().probabilities() == first.table().probabilities());
  CHECK(second.best().front().devices == first.best().front().devices);
}

}  // namespace
}  // namespace berth
