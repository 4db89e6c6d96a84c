// berth/README.md is true: it has a line for every unit of the library, and no other. Methods may
// lack theirs, because they have a row in docs/methods.md: adding one takes four edits, not five.

#include <algorithm>
#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "berth/place/registry.h"
#include "tests/docs/page.h"

using namespace berth;

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

// Whether the unit is a method: place/list/m_etf is `m-etf`.
bool is_method(const std::string& unit) {
  if (!unit.starts_with("place/")) return false;
  std::string name = fs::path(unit).filename().string();
  std::replace(name.begin(), name.end(), '_', '-');
  const auto all = placers();
  return std::any_of(all.begin(), all.end(),
                     [&](const PlacerEntry& entry) { return name == entry.name; });
}

// "## `berth/graph/`" opens a folder, "| `order` | ... |" is a unit of it.
std::set<std::string> units_on_the_map() {
  std::set<std::string> units;
  std::string folder;
  bool in_sections = false;  // after the table of folders
  for (const std::string& line : page::lines_of("berth/README.md")) {
    if (line.starts_with("## ")) {
      const std::vector<std::string> names = page::in_backquotes(line);
      REQUIRE_MESSAGE((!names.empty() && names.front().starts_with("berth/")), line);
      folder = names.front().substr(std::string("berth/").size());
      in_sections = true;
    }
    if (!in_sections) continue;
    const std::string name = page::name_of_row(page::cells_of(line));
    if (!name.empty()) CHECK_MESSAGE(units.insert(folder + name).second, line, " is there twice");
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
