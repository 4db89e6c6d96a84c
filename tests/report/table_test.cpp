#include "berth/report/table.h"

#include <doctest/doctest.h>

using namespace berth;

namespace {
Table example() {
  Table table({{"name"}, {"ms", Align::kRight}});
  table.add_row({"a|b", "1.5"});
  table.add_row({"say \"x\", y", "10"});
  return table;
}
}  // namespace

TEST_CASE("columns line up, numbers at the right, no space at the end of a line") {
  CHECK(example().text() ==
        "name         ms\n"
        "a|b         1.5\n"
        "say \"x\", y   10\n");
  Table left({{"a"}, {"b"}});
  left.add_row({"x", ""});
  CHECK(left.text() == "a  b\nx\n");
}

TEST_CASE("markdown escapes the bar") {
  CHECK(example().markdown() ==
        "| name | ms |\n|---|---:|\n| a\\|b | 1.5 |\n| say \"x\", y | 10 |\n");
}

TEST_CASE("csv quotes commas and doubles quotes") {
  CHECK(example().csv() == "name,ms\na|b,1.5\n\"say \"\"x\"\", y\",10\n");
}
