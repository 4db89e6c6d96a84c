#include "berth/place/measured/measured_choice.h"

#include <vector>

#include <doctest/doctest.h>

#include "tests/support/fake_meter.h"

namespace berth {
namespace {

// The first two numbers are safe.
std::optional<MeasuredChoice> choose(FakeMachine& machine, int measurements) {
  std::vector<Placement> safe, others;
  for (std::size_t i = 0; i < machine.micros.size(); ++i)
    (i < 2 ? safe : others).push_back(fake_placement(i));
  Budget budget;
  budget.set_meter(machine.meter());
  const auto choice = choose_by_measuring(safe, others, 32, measurements, budget);
  CHECK(budget.measurements() <= static_cast<std::uint64_t>(measurements));
  return choice;
}

TEST_CASE("a clearly faster placement wins, within the number of measurements") {
  for (const int measurements : {30, 60, 100, 200}) {
    CAPTURE(measurements);
    FakeMachine machine{.micros = std::vector<double>(40, 120.0), .noise = 0.03};
    machine.micros[0] = 100;
    machine.micros[3] = 80;  // the second guess
    const auto choice = choose(machine, measurements);
    REQUIRE(choice);
    CHECK(choice->winner == 3);
    CHECK(choice->won == 1);
    CHECK(choice->measured.count() == doctest::Approx(80).epsilon(0.04));
  }
}

TEST_CASE("where nothing is clearly faster the best single device stays") {
  int safe = 0;
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    FakeMachine machine{.micros = std::vector<double>(34, 100.0), .noise = 0.1, .seed = seed};
    machine.micros[1] = 130;
    const auto choice = choose(machine, 100);
    REQUIRE(choice);
    safe += choice->winner == 0;
  }
  CHECK(safe >= 36);
}

TEST_CASE("too few measurements for a proof keep the single device") {
  FakeMachine machine{.micros = {100, 110, 50, 60}};
  for (const int measurements : {2, 5, 13}) {
    const auto choice = choose(machine, measurements);
    REQUIRE(choice);
    CHECK(choice->winner == 0);
  }
  CHECK_FALSE(choose(machine, 0));
}

TEST_CASE("without a safe candidate that runs the best of the others is taken") {
  FakeMachine machine{.micros = {0, 0, 90, 50, 70}};
  const auto choice = choose(machine, 60);
  REQUIRE(choice);
  CHECK(choice->winner == 3);
}

}  // namespace
}  // namespace berth
