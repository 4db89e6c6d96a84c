// berth/README.md is true: it has a line for every unit of the library, and no other. Methods may
// lack theirs, because they have a row in docs/methods.md: adding one takes four edits, not five.

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <regex>
#include <set>
#include <string>

#include <doctest/doctest.h>

#include "berth/place/registry.h"

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

// Whether the unit is a method: place/heuristic/m_etf is `m-etf`.
bool is_method(const std::string& unit) {
  if (!unit.starts_with("place/")) return false;
  std::string name = fs::path(unit).filename().string();
  std::replace(name.begin(), name.end(), '_', '-');
  const auto all = berth::placers();
  return std::any_of(all.begin(), all.end(),
                     [&](const berth::PlacerEntry& entry) { return name == entry.name; });
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
    CHECK((mapped.contains(unit) || is_method(unit)));
  }
}

TEST_CASE("berth/README.md names nothing that is not there") {
  const std::set<std::string> present = units_on_disk();
  for (const std::string& unit : units_on_the_map()) {
    CAPTURE(unit);
    CHECK(present.contains(unit));
  }
}
