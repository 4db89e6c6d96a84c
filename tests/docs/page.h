// A Markdown page as the tests of the documentation read it: lines, table rows, quoted words.
#pragma once

#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>

namespace berth::page {

inline std::vector<std::string> lines_of(const std::filesystem::path& path) {
  std::ifstream file(path);
  REQUIRE_MESSAGE(file.good(), path.string(), " is not there");
  std::vector<std::string> lines;
  for (std::string line; std::getline(file, line);) lines.push_back(line);
  return lines;
}

// The trimmed cells of "| a | b |"; none when the line is no row.
inline std::vector<std::string> cells_of(const std::string& line) {
  if (line.size() < 3 || line.front() != '|' || line.back() != '|') return {};
  std::vector<std::string> cells(1);
  for (const char c : line.substr(1, line.size() - 2)) {
    if (c == '|')
      cells.emplace_back();
    else
      cells.back() += c;
  }
  for (std::string& cell : cells) {
    const std::size_t first = cell.find_first_not_of(' ');
    cell = first == std::string::npos ? std::string()
                                      : cell.substr(first, cell.find_last_not_of(' ') - first + 1);
  }
  return cells;
}

// Everything that stands between the two marks, from left to right.
inline std::vector<std::string> between(std::string_view text, std::string_view open,
                                        std::string_view close) {
  std::vector<std::string> found;
  for (std::size_t at = text.find(open); at != std::string_view::npos;) {
    const std::size_t begin = at + open.size(), end = text.find(close, begin);
    if (end == std::string_view::npos) break;
    found.emplace_back(text.substr(begin, end - begin));
    at = text.find(open, end + close.size());
  }
  return found;
}

inline std::vector<std::string> in_backquotes(const std::string& text) {
  return between(text, "`", "`");
}

// The name of a row that begins with one in backquotes and nothing else; empty for other rows.
inline std::string name_of_row(const std::vector<std::string>& cells) {
  if (cells.empty()) return {};
  const std::vector<std::string> names = in_backquotes(cells.front());
  if (names.size() != 1 || cells.front().size() != names.front().size() + 2) return {};
  return names.front();
}

}  // namespace berth::page
