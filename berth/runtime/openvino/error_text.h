// What OpenVINO says when it refuses, in one line: without the source lines of its own code.
#pragma once

#include <string_view>

#include <openvino/core/except.hpp>

#include "berth/base/error.h"

namespace berth {

std::string openvino_error_text(std::string_view what);

// What `work` returns. What OpenVINO throws on the way becomes an Error: "CONTEXT: its reason".
template <class Thrown = ov::Exception, class Work>
decltype(auto) explain_refusal(const std::string& context, Work&& work) {
  try {
    return work();
  } catch (const Thrown& error) {
    throw Error(context + ": " + openvino_error_text(error.what()));
  }
}

}  // namespace berth
