#include "berth/place/measured/paired.h"

#include <cmath>

#include <doctest/doctest.h>

#include "tests/support/fake_meter.h"

namespace berth {
namespace {

PairedComparison compared(FakeMachine& machine, int pairs) {
  Budget budget;
  budget.set_meter(machine.meter());
  const auto result = compare_paired(fake_placement(1), fake_placement(0), pairs, budget);
  REQUIRE(result);
  CHECK(budget.measurements() == 2 * static_cast<std::uint64_t>(result->pairs));
  return *result;
}

TEST_CASE("a candidate that is faster beyond the noise is told so") {
  FakeMachine machine{.micros = {100, 90}, .noise = 0.02};
  const PairedComparison result = compared(machine, 10);
  CHECK(result.pairs == 10);
  CHECK(result.candidate_is_faster());
  CHECK(result.log_ratio.median == doctest::Approx(std::log(0.9)).epsilon(0.2));
  CHECK(result.candidate.count() == doctest::Approx(90).epsilon(0.03));
}

TEST_CASE("a slower candidate is given up after the sixth pair") {
  FakeMachine machine{.micros = {100, 110}, .noise = 0.02};
  const PairedComparison result = compared(machine, 20);
  CHECK(result.pairs == kFewestPairs);
  CHECK_FALSE(result.candidate_is_faster());
}

TEST_CASE("equal placements replace each other by chance only, at most once in forty") {
  int replaced = 0;
  for (std::uint64_t seed = 1; seed <= 400; ++seed) {
    FakeMachine machine{.micros = {100, 100}, .noise = 0.1, .seed = seed};
    replaced += compared(machine, 10).candidate_is_faster();
  }
  CHECK(replaced <= 12);  // 2.5 % of 400 is 10; ending early makes it less
}

TEST_CASE("drift of the machine does not decide") {
  // One per cent slower with every run: whoever always ran first would seem one per cent faster.
  FakeMachine machine{.micros = {100, 100}, .drift = 0.01};
  CHECK_FALSE(compared(machine, 10).candidate_is_faster());
  FakeMachine other{.micros = {100, 100}, .drift = -0.01};
  CHECK_FALSE(compared(other, 10).candidate_is_faster());
}

TEST_CASE("five pairs show nothing") {
  FakeMachine machine{.micros = {100, 10}};
  CHECK_FALSE(compared(machine, 5).candidate_is_faster());
  CHECK(compared(machine, 6).candidate_is_faster());
}

TEST_CASE("a candidate that its devices refuse is no candidate") {
  FakeMachine machine{.micros = {100, 0}};
  Budget budget;
  budget.set_meter(machine.meter());
  CHECK_FALSE(compare_paired(fake_placement(1), fake_placement(0), 10, budget));
}

}  // namespace
}  // namespace berth
