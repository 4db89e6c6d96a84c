// Tables as text, Markdown and CSV.
//
// A table is text cells under titled columns. For people the columns line up; numbers stand at the
// right. Markdown and CSV escape what would break their row.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace berth {

enum class Align { kLeft, kRight };

struct Column {
  Column(const char* text, Align side = Align::kLeft) : title(text), align(side) {}

  std::string title;
  Align align;
};

// For numbers.
inline Column right(const char* title) { return {title, Align::kRight}; }

class Table {
 public:
  explicit Table(const std::vector<Column>& columns);

  void add_row(std::vector<std::string> cells);  // as many cells as columns
  std::size_t row_count() const { return rows_.size() - 1; }

  std::string text() const;  // title line, then rows; two spaces between columns
  std::string markdown() const;
  std::string csv() const;  // RFC 4180, with "\n" ends

 private:
  std::vector<Align> aligns_;
  std::vector<std::vector<std::string>> rows_;  // the titles first
};

}  // namespace berth
