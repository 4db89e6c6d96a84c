#include "berth/base/in_quotes.h"

#include <simdjson.h>

namespace berth {

std::string in_quotes(std::string_view text) {
  constexpr std::size_t kLongest = 60;
  const bool cut = text.size() > kLongest;
  if (cut) text = text.substr(0, kLongest);
  // A cut inside a character would leave half of it.
  while (cut && !text.empty() && (static_cast<unsigned char>(text.back()) & 0xc0) == 0x80)
    text.remove_suffix(1);
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

}  // namespace berth
