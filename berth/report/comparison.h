// Many results side by side: one row per method and input.
//
// Within one input the best feasible value is 1.000 in the column "x best", so that a glance tells
// what each method costs. Methods without a placement keep their row and say why.
#pragma once

#include <span>

#include "berth/place/run_placer.h"
#include "berth/report/table.h"

namespace berth {

struct ComparisonRow {
  std::string input;
  Problem problem;
  Result result;
};

// For people: milliseconds and units.
Table comparison_table(std::span<const ComparisonRow> rows);
// For programs: full precision, empty where nothing is known.
std::string comparison_csv(std::span<const ComparisonRow> rows);

}  // namespace berth
