#include "berth/io/text_lines.h"

#include <charconv>
#include <cmath>
#include <system_error>

#include <fmt/format.h>
#include <simdjson.h>

#include "berth/base/error.h"
#include "berth/base/in_quotes.h"

namespace berth {

TextLines::TextLines(std::string_view text, std::string file)
    : rest_(text), file_(std::move(file)) {
  if (!simdjson::validate_utf8(text.data(), text.size()))
    throw Error(file_ + ": is not valid UTF-8, expected text");
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

void TextLines::fail_at(std::size_t line, const std::string& message) const {
  throw Error(fmt::format("{}: line {}: {}", file_, line, message));
}

double TextLines::number_in(std::string_view text, std::string_view what) const {
  text = trimmed(text);
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() || !std::isfinite(value))
    fail(fmt::format("{} is {}, expected a number", what, in_quotes(text)));
  return value;
}

double TextLines::number_up_to(double most, std::string_view text, std::string_view what) const {
  const double value = number_in(text, what);
  if (!(value >= 0 && value <= most))
    fail(fmt::format("{} is {}, expected a number from 0 to {}", what, in_quotes(trimmed(text)),
                     most));
  return value;
}

std::string_view trimmed(std::string_view text) {
  constexpr const char* kSpace = " \t\r\n";
  const std::size_t first = text.find_first_not_of(kSpace);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kSpace) - first + 1);
}

}  // namespace berth
