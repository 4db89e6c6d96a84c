// berth/README.md is true: it has a line for every unit of the library, and no other.

#include <filesystem>
#include <fstream>
#include <regex>
#include <set>
#include <string>

#include <doctest/doctest.h>

namespace {

namespace fs = std::filesystem;

// Paths below berth/ without extension: a {h,cpp} pair is one unit.
std::set<std::string> units_on_disk() {
  std::set<std::string> units;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator("berth")) {
    const fs::path& path = entry.path();
    if (path.extension() != ".h" && path.extension() != ".cpp") continue;
    units.insert(path.lexically_relative("berth").replace_extension().generic_string());
  }
  return units;
}

// "## graph" opens a folder, "| `order` | ..." is a unit of it.
std::set<std::string> units_on_the_map() {
  std::ifstream file("berth/README.md");
  REQUIRE(file.good());
  std::set<std::string> units;
  std::string folder;
  const std::regex heading("^## `berth/(.*)`.*"), row("^\\| `([a-z0-9_]+)` \\| .+ \\|$");
  for (std::string line; std::getline(file, line);) {
    std::smatch match;
    if (std::regex_match(line, match, heading)) folder = match[1];
    if (std::regex_match(line, match, row))
      CHECK_MESSAGE(units.insert(folder + match[1].str()).second, line, " is there twice");
  }
  return units;
}

}  // namespace

TEST_CASE("every unit of the library has its line in berth/README.md") {
  const std::set<std::string> mapped = units_on_the_map();
  for (const std::string& unit : units_on_disk()) {
    CAPTURE(unit);
    CHECK(mapped.contains(unit));
  }
}

TEST_CASE("berth/README.md names nothing that is not there") {
  const std::set<std::string> present = units_on_disk();
  for (const std::string& unit : units_on_the_map()) {
    CAPTURE(unit);
    CHECK(present.contains(unit));
  }
}
