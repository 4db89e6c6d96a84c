#include "berth/modules/build_info.h"

#include <doctest/doctest.h>

using namespace berth;

TEST_CASE("the version is three numbers") { CHECK(version() == "0.1.0"); }
