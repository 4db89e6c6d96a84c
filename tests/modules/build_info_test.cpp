#include "berth/modules/build_info.h"

#include <doctest/doctest.h>

using namespace berth;

TEST_CASE("the version is three numbers") { CHECK(version() == "0.1.0"); }

TEST_CASE("a part is present or says why not, never both") {
  for (const BuildPart& part : build_parts()) {
    CAPTURE(part.name);
    CHECK(part.present == part.why_not.empty());
    CHECK_FALSE(part.purpose.empty());
  }
}
