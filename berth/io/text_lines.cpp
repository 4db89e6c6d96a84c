#include "berth/io/text_lines.h"

#include <simdjson.h>

namespace berth {

TextLines::TextLines(std::string_view text, std::string file)
    : rest_(text), file_(std::move(file)) {
  if (!simdjson::validate_utf8(text.data(), text.size()))
    berth::fail("{}: is not valid UTF-8, expected text", file_);
  if (rest_.starts_with("\xef\xbb\xbf")) rest_.remove_prefix(3);
}

std::optional<std::string_view> TextLines::next() {
  if (ended_) return std::nullopt;
  ++number_;
  const std::size_t end = rest_.find('\n');
  std::string_view line = rest_.substr(0, end);
  if (end == std::string_view::npos)
    ended_ = true;
  else
    rest_.remove_prefix(end + 1);
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

std::optional<std::string_view> TextLines::next_filled() {
  std::optional<std::string_view> line = next();
  while (line && trimmed(*line).empty()) line = next();
  return line;
}

double TextLines::number_in(std::string_view text, std::string_view what) const {
  const std::optional<double> value = berth::number_in<double>(trimmed(text));
  if (!value) fail("{} is {}, expected a number", what, in_quotes(trimmed(text)));
  return *value;
}

double TextLines::number_up_to(double most, std::string_view text, std::string_view what) const {
  const double value = number_in(text, what);
  if (!(value >= 0 && value <= most))
    fail("{} is {}, expected a number from 0 to {}", what, in_quotes(trimmed(text)), most);
  return value;
}

}  // namespace berth
