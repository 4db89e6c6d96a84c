// Errors from below get the file they are about.
#pragma once

#include <string>
#include <utility>

#include "berth/base/error.h"

namespace berth {

// Calls `build`, which knows nothing of files (a graph builder, a Problem), and puts the file in
// front of its Error.
template <class Build>
decltype(auto) in_file(const std::string& file, Build&& build) {
  try {
    return std::forward<Build>(build)();
  } catch (const Error& error) {
    throw Error(file + ": " + error.what());
  }
}

}  // namespace berth
