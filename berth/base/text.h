// Numbers and foreign text as people read them.
//
// Times are in milliseconds everywhere, so that columns compare at a glance and agree with the
// `_ms` fields of the JSON output; sizes are in binary units.
#pragma once

#include <charconv>
#include <cmath>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "berth/base/units.h"

namespace berth {

std::string milliseconds_text(Duration time);  // "12.582", "0.03541"; "inf" for kForever
std::string time_text(Duration time);          // "12.582 ms"
std::string bytes_text(Bytes size);            // "512 B", "1.50 GiB"
// "-" for what is not there.
std::string milliseconds_text(const std::optional<Duration>& time);
std::string bytes_text(const std::optional<Bytes>& size);
std::string percent_text(double ratio);                        // 0.0312: "3.1%"
std::string seconds_text(double seconds);                      // "0.004", "12.3", "125"
std::string count_text(std::uint64_t count);                   // "1 234 567"
std::string plural(std::size_t count, std::string_view noun);  // "1 node", "3 nodes"

// Text from a file, safe to show in one line of a message: in quotes, control characters and broken
// UTF-8 replaced by '?', cut to about 60 characters.
std::string in_quotes(std::string_view text);

std::string_view trimmed(std::string_view text);  // without white space at its ends
// What stands between the separators; one part when there is none.
std::vector<std::string_view> split(std::string_view text, char separator);

// The number that the whole text is; nothing when it is none, or not finite.
template <class Number>
std::optional<Number> number_in(std::string_view text) {
  Number number{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return std::isfinite(static_cast<double>(number)) ? std::optional(number) : std::nullopt;
}

// Columns on a terminal: UTF-8 characters, not bytes.
std::size_t text_width(std::string_view text);
// At most `width` columns; what is cut is the middle, as both ends of a node's name tell something.
std::string shortened(std::string_view text, std::size_t width);

}  // namespace berth
