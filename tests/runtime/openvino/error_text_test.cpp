#include "berth/modules/build_config.h"

#if BERTH_HAS_OPENVINO

#include <string>

#include <doctest/doctest.h>

#include "berth/runtime/openvino/error_text.h"

using namespace berth;

TEST_CASE("a refusal is told in one line, without the source lines of OpenVINO") {
  CHECK(openvino_error_text("Exception from src/inference/src/cpp/core.cpp:97:\n"
                            "Check 'inputs == 2' failed at src/core/src/node.cpp:12:\n"
                            "Model is broken:\n  no edges  \n\n") == "Model is broken: no edges");
  CHECK(openvino_error_text("first\nsecond") == "first; second");
}

TEST_CASE("a refusal without a reason says so, and a long one is cut") {
  CHECK(openvino_error_text("Exception from src/a.cpp:1:\n") == "no reason given");
  CHECK(openvino_error_text(std::string(5000, 'x')).size() < 400);
}

#endif
