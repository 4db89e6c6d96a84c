// The order of berth/README.md holds: no #include of the library goes up or sideways against it.

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "tests/docs/page.h"

using namespace berth;

namespace {

namespace fs = std::filesystem;

// "berth/sim/" or, for files that stand alone, "berth/problem" -> its row in the table of folders.
std::map<std::string, int> rows_of_table() {
  std::map<std::string, int> rows;
  int row = 0;
  for (const std::string& line : page::lines_of("berth/README.md")) {
    if (line.starts_with("## ")) break;
    const std::vector<std::string> cells = page::cells_of(line);
    if (cells.empty() || !cells.front().starts_with("`berth/")) continue;
    for (const std::string& name : page::in_backquotes(cells.front()))
      CHECK_MESSAGE(rows.emplace(name, row).second, name, " is there twice");
    ++row;
  }
  return rows;
}

// The row of a file of the library; none when neither it nor its folder is in the table.
std::optional<int> row_of(const std::map<std::string, int>& rows, const fs::path& file) {
  fs::path bare = file;
  bare.replace_extension();
  if (const auto unit = rows.find(bare.generic_string()); unit != rows.end()) return unit->second;
  const auto folder = rows.find(file.parent_path().generic_string() + "/");
  return folder == rows.end() ? std::nullopt : std::optional(folder->second);
}

std::vector<std::string> includes_of(const fs::path& file) {
  std::vector<std::string> includes;
  for (const std::string& line : page::lines_of(file))
    if (line.starts_with("#include \""))
      includes.push_back(page::between(line, "\"", "\"").front());
  return includes;
}

std::vector<fs::path> sources_below(const char* folder) {
  std::vector<fs::path> files;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(folder))
    if (entry.path().extension() == ".h" || entry.path().extension() == ".cpp")
      files.push_back(entry.path());
  return files;
}

}  // namespace

TEST_CASE("a file includes only its own folder and folders above it in the table") {
  const std::map<std::string, int> rows = rows_of_table();
  REQUIRE(rows.size() > 20);
  for (const fs::path& file : sources_below("berth")) {
    const std::optional<int> own = row_of(rows, file);
    REQUIRE_MESSAGE(own, file.string(), " is in no folder of berth/README.md");
    for (const std::string& include : includes_of(file)) {
      CAPTURE(file.string());
      CAPTURE(include);
      const std::optional<int> other = row_of(rows, include);
      REQUIRE(other);
      CHECK(*other <= *own);
    }
  }
}

TEST_CASE("the command line includes the library and itself") {
  for (const fs::path& file : sources_below("cli"))
    for (const std::string& include : includes_of(file)) {
      CAPTURE(file.string());
      CHECK_MESSAGE((include.starts_with("berth/") || include.starts_with("cli/")), include);
    }
}

TEST_CASE("the sections of berth/README.md follow its table") {
  const std::map<std::string, int> rows = rows_of_table();
  int last = -1;
  for (const std::string& line : page::lines_of("berth/README.md")) {
    if (!line.starts_with("## ")) continue;
    const auto row = rows.find(page::in_backquotes(line).front());
    if (row == rows.end()) continue;  // files that stand alone
    CHECK_MESSAGE(row->second > last, line);
    last = row->second;
  }
}
