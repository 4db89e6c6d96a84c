#include "berth/report/summary.h"

#include <doctest/doctest.h>

#include "tests/support/fixtures.h"

using namespace berth;

TEST_CASE("a gap says against what it is measured") {
  Result result = run_placer("single-device", fixtures::small_problem("chain"));
  REQUIRE(result.placement);
  result.lower_bound = result.simulation->value / 1.25;
  result.proven_optimal = false;
  CHECK(gap_text(result) == "25%");
  result.contiguous = true;
  CHECK(gap_text(result) == "25% of contiguous");
  result.proven_optimal = true;
  CHECK(gap_text(result) == "contiguous optimum");
  result.contiguous = false;
  CHECK(gap_text(result) == "optimal");
  result.proven_optimal = false;
  result.lower_bound.reset();
  CHECK(gap_text(result) == "-");
  // A bound of contiguous splits, and no placement to compare it with.
  result = Result{};
  result.lower_bound = Duration{5};
  result.contiguous = true;
  CHECK(gap_text(result) == "contiguous bound");
}
