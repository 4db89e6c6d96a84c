// Models of the shared data, whose weights are packed, made ready to open.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <string>

#include <doctest/doctest.h>

namespace berth {

// A folder of its own that goes away with the test.
class Scratch {
 public:
  Scratch() : path_(std::filesystem::temp_directory_path() / "berth-models-XXXXXX") {
    std::string name = path_.string();
    REQUIRE(mkdtemp(name.data()) != nullptr);
    path_ = name;
  }
  ~Scratch() { std::filesystem::remove_all(path_); }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

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
