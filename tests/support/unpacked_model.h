// Models of the shared data, whose weights are packed, made ready to open.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <string>

#include <doctest/doctest.h>

#include "tests/support/scratch.h"

namespace berth {

// The .xml, with its weights unpacked beside it.
inline std::filesystem::path unpacked(const std::filesystem::path& xml, const Scratch& scratch) {
  const std::filesystem::path copy = scratch.path() / xml.filename();
  std::filesystem::copy_file(xml, copy);
  std::filesystem::path packed = xml, weights = copy;
  packed.replace_extension(".bin.gz");
  weights.replace_extension(".bin");
  const std::string command = "gunzip -c '" + packed.string() + "' > '" + weights.string() + "'";
  REQUIRE(std::system(command.c_str()) == 0);
  return copy;
}

}  // namespace berth
