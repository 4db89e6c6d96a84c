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

Table::Table(const std::vector<Column>& columns) : rows_(1) {
  for (const Column& column : columns) {
    rows_.front().push_back(column.title);
    aligns_.push_back(column.align);
  }
}

void Table::add_row(std::vector<std::string> cells) {
  assert(cells.size() == aligns_.size());  // a caller that forgets a cell shifts every column
  rows_.push_back(std::move(cells));
}

std::string Table::text() const {
  std::vector<std::size_t> width(aligns_.size(), 0);
  for (const auto& row : rows_)
    for (std::size_t i = 0; i < row.size(); ++i) width[i] = std::max(width[i], text_width(row[i]));
  std::string result;
  for (const auto& row : rows_) {
    std::string line;
    for (std::size_t i = 0; i < row.size(); ++i)
      line += (i == 0 ? "" : "  ") + padded(row[i], width[i], aligns_[i]);
    line.erase(line.find_last_not_of(' ') + 1);
    result += line + "\n";
  }
  return result;
}

std::string Table::markdown() const {
  std::string result;
  for (const auto& row : rows_) {
    result += "|";
    for (const std::string& cell : row) result += fmt::format(" {} |", markdown_cell(cell));
    result += "\n";
    if (&row != &rows_.front()) continue;
    result += "|";
    for (const Align align : aligns_) result += align == Align::kLeft ? "---|" : "---:|";
    result += "\n";
  }
  return result;
}

std::string Table::csv() const {
  std::string result;
  for (const auto& row : rows_) {
    std::vector<std::string> cells;
    for (const std::string& cell : row) cells.push_back(csv_cell(cell));
    result += fmt::format("{}\n", fmt::join(cells, ","));
  }
  return result;
}

}  // namespace berth
