// docs/methods.md is true: every method has a row, and every row is a method.

#include <algorithm>
#include <fstream>
#include <map>
#include <regex>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "berth/place/registry.h"

using namespace berth;

namespace {

using Cells = std::vector<std::string>;

// The cells of every table row whose first cell is a name in backquotes, by that name.
std::map<std::string, Cells> rows_of_methods_page() {
  std::ifstream file("docs/methods.md");
  REQUIRE(file.good());
  std::map<std::string, Cells> rows;
  const std::regex named("^\\| `([^`]+)` \\|.*\\|$");
  for (std::string line; std::getline(file, line);) {
    std::smatch match;
    if (!std::regex_match(line, match, named)) continue;
    Cells cells(1);
    for (const char c : line.substr(1, line.size() - 2)) {
      if (c == '|')
        cells.emplace_back();
      else
        cells.back() += c;
    }
    CHECK_MESSAGE(rows.emplace(match[1], cells).second, match[1].str(), " has two rows");
  }
  return rows;
}

std::vector<std::string> in_backquotes(const std::string& cell) {
  std::vector<std::string> words;
  const std::regex quoted("`([^`]+)`");
  for (std::sregex_iterator at(cell.begin(), cell.end(), quoted), end; at != end; ++at)
    words.push_back((*at)[1]);
  return words;
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
    CHECK(cells[2].size() > 3);
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
    for (const std::string& key : in_backquotes(cells.at(3))) {
      CAPTURE(key);
      CHECK(std::any_of(options.begin(), options.end(),
                        [&](const OptionHelp& option) { return option.key == key; }));
    }
    CHECK(options.empty() == in_backquotes(cells.at(3)).empty());
  }
}
