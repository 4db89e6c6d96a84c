#include "berth/place/measured/halving.h"

#include <atomic>

#include <doctest/doctest.h>

#include "tests/support/fake_meter.h"

namespace berth {
namespace {

std::vector<Placement> numbered(std::size_t count) {
  std::vector<Placement> placements;
  for (std::size_t i = 0; i < count; ++i) placements.push_back(fake_placement(i));
  return placements;
}

TEST_CASE("the best are left, and were measured most often") {
  FakeMachine machine{.micros = {80, 20, 70, 30, 60, 40, 50, 10}};
  Budget budget;
  budget.set_meter(machine.meter());
  const std::vector<Survivor> left = halve(numbered(8), 2, budget);
  REQUIRE(left.size() == 2);
  CHECK(left[0].index == 7);
  CHECK(left[1].index == 1);
  CHECK(left[0].median == Duration{10});
  CHECK(left[0].measurements == 2);  // of 8, then of 4
  CHECK(machine.calls == std::vector<std::size_t>{1, 2, 1, 2, 1, 2, 1, 2});
  CHECK(budget.measurements() == halving_cost(8, 2));
}

TEST_CASE("the cost is known beforehand") {
  CHECK(halving_cost(0, 2) == 0);
  CHECK(halving_cost(1, 2) == 1);
  CHECK(halving_cost(2, 2) == 2);
  CHECK(halving_cost(3, 2) == 3);
  CHECK(halving_cost(5, 2) == 8);    // 5, 3
  CHECK(halving_cost(32, 2) == 60);  // 32, 16, 8, 4
  for (std::size_t count = 0; count < 40; ++count)
    for (const std::size_t keep : {1, 2, 3, 5}) {
      FakeMachine machine{.micros = std::vector<double>(count, 5.0)};
      Budget budget;
      budget.set_meter(machine.meter());
      const std::vector<Survivor> left = halve(numbered(count), keep, budget);
      CHECK(left.size() == std::min(count, keep));
      CHECK(budget.measurements() == halving_cost(count, keep));
    }
}

TEST_CASE("noise is averaged out where it matters") {
  int right = 0;
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    FakeMachine machine{.micros = std::vector<double>(32, 100.0), .noise = 0.1, .seed = seed};
    machine.micros[17] = 85;
    Budget budget;
    budget.set_meter(machine.meter());
    right += halve(numbered(32), 2, budget).front().index == 17;
  }
  CHECK(right >= 80);
}

TEST_CASE("refused placements are dropped, and all refused leave nothing") {
  FakeMachine machine{.micros = {0, 20, 0, 30}};
  Budget budget;
  budget.set_meter(machine.meter());
  const std::vector<Survivor> left = halve(numbered(4), 2, budget);
  REQUIRE(left.size() == 2);
  CHECK(left[0].index == 1);
  FakeMachine nothing{.micros = {0, 0}};
  budget.set_meter(nothing.meter());
  CHECK(halve(numbered(2), 1, budget).empty());
}

TEST_CASE("a stop ends it with what is known") {
  std::atomic<bool> stop{false};
  Budget budget({}, &stop);
  int count = 0;
  budget.set_meter([&](const Placement&) {
    if (++count == 3) stop = true;
    return Duration{static_cast<double>(10 - count)};
  });
  const std::vector<Survivor> left = halve(numbered(8), 2, budget);
  REQUIRE(left.size() == 2);
  CHECK(left[0].index == 2);
  CHECK(count == 3);
}

}  // namespace
}  // namespace berth
