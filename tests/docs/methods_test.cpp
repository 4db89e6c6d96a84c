// docs/methods.md is true: every method has a row, and every row is a method.

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "berth/place/registry.h"
#include "tests/docs/page.h"

using namespace berth;

namespace {

using Cells = std::vector<std::string>;

// The cells of every row that begins with a name, by that name.
std::map<std::string, Cells> rows_of_methods_page() {
  std::map<std::string, Cells> rows;
  for (const std::string& line : page::lines_of("docs/methods.md")) {
    const Cells cells = page::cells_of(line);
    const std::string name = page::name_of_row(cells);
    if (!name.empty()) CHECK_MESSAGE(rows.emplace(name, cells).second, name, " has two rows");
  }
  return rows;
}

}  // namespace

TEST_CASE("every registered method has a row that says what it does and how it stands") {
  const auto rows = rows_of_methods_page();
  for (const PlacerEntry& entry : placers()) {
    CAPTURE(std::string(entry.name));
    REQUIRE(rows.contains(entry.name));
    const Cells& cells = rows.at(entry.name);
    REQUIRE(cells.size() == 6);
    CHECK(cells[1].size() > 10);
    CHECK(cells[2].size() >= 3);  // "any"
    const std::string& standing = cells[5];
    const bool stated = standing.find("*reproduced*") != std::string::npos ||
                        standing.find("*tested*") != std::string::npos ||
                        standing.find("*partial*: ") != std::string::npos;
    CHECK_MESSAGE(stated, "its standing is:", standing);
  }
}

TEST_CASE("every row is a registered method, and its options exist") {
  for (const auto& [name, cells] : rows_of_methods_page()) {
    CAPTURE(name);
    const auto all = placers();
    const auto entry =
        std::find_if(all.begin(), all.end(), [&](const PlacerEntry& e) { return name == e.name; });
    REQUIRE(entry != all.end());
    const std::vector<OptionHelp> options = entry->options();
    for (const std::string& key : page::in_backquotes(cells.at(3))) {
      CAPTURE(key);
      CHECK(std::any_of(options.begin(), options.end(),
                        [&](const OptionHelp& option) { return option.key == key; }));
    }
    CHECK(options.empty() == page::in_backquotes(cells.at(3)).empty());
  }
}
