// Numbers as people read them.
//
// Times are in milliseconds everywhere, so that columns compare at a glance and agree with the
// `_ms` fields of the JSON output; sizes are in binary units.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "berth/base/units.h"

namespace berth {

std::string milliseconds_text(Duration time);  // "12.582", "0.03541"; "inf" for kForever
std::string time_text(Duration time);          // "12.582 ms"
std::string bytes_text(Bytes size);            // "512 B", "1.50 GiB"
std::string percent_text(double ratio);        // 0.0312: "3.1%"
std::string seconds_text(double seconds);      // "0.004", "12.3", "125"
std::string count_text(std::uint64_t count);   // "1 234 567"
std::string plural(std::size_t count, std::string_view noun);  // "1 node", "3 nodes"

// Columns on a terminal: UTF-8 characters, not bytes.
std::size_t text_width(std::string_view text);
// At most `width` columns; what is cut is the middle, as both ends of a node's name tell something.
std::string shortened(std::string_view text, std::size_t width);

}  // namespace berth
