// Finds the published inputs that live beside the repository, not in it.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string>

#include <doctest/doctest.h>

namespace berth {

// A file of the shared data: in $BERTH_SHARED_DATA, or ../shared/data (tests run in the root of the
// source tree). Says so when it is not there: the caller then skips.
inline std::optional<std::filesystem::path> shared_data(const std::string& relative) {
  const char* given = std::getenv("BERTH_SHARED_DATA");
  const std::filesystem::path root = given != nullptr ? given : "../shared/data";
  const std::filesystem::path path = root / relative;
  if (std::filesystem::exists(path)) return path;
  MESSAGE("skipped: " << path.string() << " is not there; set BERTH_SHARED_DATA");
  return std::nullopt;
}

}  // namespace berth
