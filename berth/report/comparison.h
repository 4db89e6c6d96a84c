// Many results side by side: one row per method and input.
//
// Within one input the best feasible value is 1.000 in the column "x best", so that a glance tells
// what each method costs. Methods without a placement keep their row and say why.
#pragma once

#include <span>
#include <string>

#include "berth/place/run_placer.h"

namespace berth {

struct ComparisonRow {
  std::string input;
  Result result;
};

// For people: milliseconds and units.
std::string comparison_text(std::span<const ComparisonRow> rows);
std::string comparison_markdown(std::span<const ComparisonRow> rows);
// For programs: full precision, empty where nothing is known.
std::string comparison_csv(std::span<const ComparisonRow> rows);

}  // namespace berth
