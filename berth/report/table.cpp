#include "berth/report/table.h"

#include <algorithm>
#include <cassert>

#include <fmt/format.h>

#include "berth/base/text.h"

namespace berth {
namespace {

std::string padded(const std::string& cell, std::size_t width, Align align) {
  const std::string space(width - std::min(width, text_width(cell)), ' ');
  return align == Align::kLeft ? cell + space : space + cell;
}

std::string csv_cell(const std::string& cell) {
  if (cell.find_first_of(",\"\r\n") == std::string::npos) return cell;
  std::string quoted = "\"";
  for (const char c : cell) quoted += c == '"' ? "\"\"" : std::string(1, c);
  return quoted + "\"";
}

std::string markdown_cell(const std::string& cell) {
  std::string escaped;
  for (const char c : cell) {
    if (c == '|') escaped += '\\';
    escaped += c == '\n' ? ' ' : c;
  }
  return escaped;
}

}  // namespace

void Table::add_row(std::vector<std::string> cells) {
  assert(cells.size() == columns_.size());  // a caller that forgets a cell shifts every column
  rows_.push_back(std::move(cells));
}

std::string Table::text() const {
  std::vector<std::size_t> width;
  for (const Column& column : columns_) width.push_back(text_width(column.title));
  for (const auto& row : rows_)
    for (std::size_t i = 0; i < row.size(); ++i) width[i] = std::max(width[i], text_width(row[i]));

  std::string result;
  const auto add_line = [&](auto cell_at) {
    std::string line;
    for (std::size_t i = 0; i < columns_.size(); ++i)
      line += (i == 0 ? "" : "  ") + padded(cell_at(i), width[i], columns_[i].align);
    line.erase(line.find_last_not_of(' ') + 1);
    result += line + "\n";
  };
  add_line([&](std::size_t i) { return columns_[i].title; });
  for (const auto& row : rows_) add_line([&](std::size_t i) { return row[i]; });
  return result;
}

std::string Table::markdown() const {
  std::string result = "|", rule = "|";
  for (const Column& column : columns_) {
    result += fmt::format(" {} |", markdown_cell(column.title));
    rule += column.align == Align::kLeft ? "---|" : "---:|";
  }
  result += "\n" + rule + "\n";
  for (const auto& row : rows_) {
    result += "|";
    for (const std::string& cell : row) result += fmt::format(" {} |", markdown_cell(cell));
    result += "\n";
  }
  return result;
}

std::string Table::csv() const {
  std::vector<std::string> cells;
  for (const Column& column : columns_) cells.push_back(csv_cell(column.title));
  std::string result = fmt::format("{}\n", fmt::join(cells, ","));
  for (const auto& row : rows_) {
    cells.clear();
    for (const std::string& cell : row) cells.push_back(csv_cell(cell));
    result += fmt::format("{}\n", fmt::join(cells, ","));
  }
  return result;
}

}  // namespace berth
