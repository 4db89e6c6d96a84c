#include "berth/base/text.h"

#include <array>

#include <fmt/format.h>
#include <simdjson.h>

namespace berth {
namespace {

bool starts_character(char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }

// The byte at which the character number `count` starts.
std::size_t byte_of_character(std::string_view text, std::size_t count) {
  for (std::size_t at = 0; at < text.size(); ++at)
    if (starts_character(text[at]) && count-- == 0) return at;
  return text.size();
}

}  // namespace

std::string milliseconds_text(Duration time) {
  const double value = in_milliseconds(time);
  if (std::isinf(value)) return "inf";
  if (value == 0) return "0";
  if (std::abs(value) >= 1) return fmt::format("{:.3f}", value);
  if (std::abs(value) < 1e-6) return fmt::format("{:.2e}", value);
  // Four significant digits, without an exponent.
  const int decimals = 3 - static_cast<int>(std::floor(std::log10(std::abs(value))));
  return fmt::format("{:.{}f}", value, decimals);
}

std::string milliseconds_text(const std::optional<Duration>& time) {
  return time ? milliseconds_text(*time) : "-";
}

std::string time_text(Duration time) { return milliseconds_text(time) + " ms"; }

std::string bytes_text(Bytes size) {
  static constexpr std::array kUnits{"KiB", "MiB", "GiB", "TiB", "PiB"};
  if (std::abs(static_cast<double>(size.count)) < 1024) return fmt::format("{} B", size.count);
  double value = static_cast<double>(size.count) / 1024;
  std::size_t unit = 0;
  for (; std::abs(value) >= 1023.995 && unit + 1 < kUnits.size(); ++unit) value /= 1024;
  return fmt::format("{:.{}f} {}", value,
                     std::abs(value) < 9.995   ? 2
                     : std::abs(value) < 99.95 ? 1
                                               : 0,
                     kUnits[unit]);
}

std::string bytes_text(const std::optional<Bytes>& size) { return size ? bytes_text(*size) : "-"; }

std::string percent_text(double ratio) {
  const double percent = 100 * ratio;
  return std::abs(percent) < 9.95 ? fmt::format("{:.1f}%", percent)
                                  : fmt::format("{:.0f}%", percent);
}

std::string seconds_text(double seconds) {
  return fmt::format("{:.{}f}", seconds, seconds < 1 ? 3 : seconds < 100 ? 1 : 0);
}

std::string count_text(std::uint64_t count) {
  std::string digits = std::to_string(count);
  for (std::size_t at = digits.size(); at > 3;) digits.insert(at -= 3, 1, ' ');
  return digits;
}

std::string plural(std::size_t count, std::string_view noun) {
  return fmt::format("{} {}{}", count_text(count), noun, count == 1 ? "" : "s");
}

std::string in_quotes(std::string_view text) {
  constexpr std::size_t kLongest = 60;
  const bool cut = text.size() > kLongest;
  if (cut) text = text.substr(0, kLongest);
  // A cut inside a character would leave half of it.
  while (cut && !text.empty() && !starts_character(text.back())) text.remove_suffix(1);
  if (cut && !text.empty() && static_cast<unsigned char>(text.back()) >= 0xc0)
    text.remove_suffix(1);
  const bool is_utf8 = simdjson::validate_utf8(text.data(), text.size());
  std::string shown = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    const bool printable = byte >= 0x20 && byte != 0x7f && (byte < 0x80 || is_utf8);
    shown += printable ? c : '?';
  }
  return shown + (cut ? "...\"" : "\"");
}

std::string_view trimmed(std::string_view text) {
  constexpr const char* kSpace = " \t\r\n";
  const std::size_t first = text.find_first_not_of(kSpace);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kSpace) - first + 1);
}

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  while (true) {
    const std::size_t end = text.find(separator);
    parts.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

std::size_t text_width(std::string_view text) {
  std::size_t width = 0;
  for (const char c : text) width += starts_character(c) ? 1 : 0;
  return width;
}

std::string shortened(std::string_view text, std::size_t width) {
  const std::size_t length = text_width(text);
  if (length <= width) return std::string(text);
  if (width <= 3) return std::string(text.substr(0, byte_of_character(text, width)));
  const std::size_t kept = width - 3, head = (kept + 1) / 2, tail = kept - head;
  return fmt::format("{}...{}", text.substr(0, byte_of_character(text, head)),
                     text.substr(byte_of_character(text, length - tail)));
}

}  // namespace berth
