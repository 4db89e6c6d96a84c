// What OpenVINO says when it refuses, in one line: without the source lines of its own code.
#pragma once

#include <string>
#include <string_view>

namespace berth {

std::string openvino_error_text(std::string_view what);

}  // namespace berth
