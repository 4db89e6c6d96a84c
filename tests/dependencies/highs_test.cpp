#include "berth/modules/build_config.h"

#if BERTH_HAS_HIGHS

#include <Highs.h>
#include <doctest/doctest.h>

// maximise 3x + 2y with x + y <= 4, x + 3y <= 6, 0 <= x <= 3, y >= 0: at (3, 1), value 11.
TEST_CASE("HiGHS solves a linear program of two variables") {
  Highs highs;
  highs.setOptionValue("output_flag", false);
  highs.addVar(0.0, 3.0);
  highs.addVar(0.0, highs.getInfinity());
  highs.changeColCost(0, 3.0);
  highs.changeColCost(1, 2.0);
  highs.changeObjectiveSense(ObjSense::kMaximize);

  const HighsInt columns[] = {0, 1};
  const double first_row[] = {1.0, 1.0};
  const double second_row[] = {1.0, 3.0};
  highs.addRow(-highs.getInfinity(), 4.0, 2, columns, first_row);
  highs.addRow(-highs.getInfinity(), 6.0, 2, columns, second_row);

  REQUIRE(highs.run() == HighsStatus::kOk);
  CHECK(highs.getModelStatus() == HighsModelStatus::kOptimal);
  CHECK(highs.getInfo().objective_function_value == doctest::Approx(11.0));
  CHECK(highs.getSolution().col_value[0] == doctest::Approx(3.0));
  CHECK(highs.getSolution().col_value[1] == doctest::Approx(1.0));
}

#endif
