#include "berth/io/json_writer.h"

#include <cmath>

#include <fmt/format.h>
#include <simdjson.h>

namespace berth {

void JsonWriter::key(std::string_view name) {
  separate();
  string(name);
  text_ += ": ";
  after_key_ = true;
}

void JsonWriter::value(double number) {
  std::isfinite(number) ? item(fmt::format("{}", number)) : value(std::nullopt);
}

void JsonWriter::value(std::int64_t number) { item(fmt::format_int(number).c_str()); }

void JsonWriter::value(std::uint64_t number) { item(fmt::format_int(number).c_str()); }

void JsonWriter::value(std::string_view text) {
  separate();
  string(text);
  after_item_ = true;
}

void JsonWriter::item(std::string_view text) {
  separate();
  text_ += text;
  after_item_ = true;
}

std::string JsonWriter::finish() && {
  text_ += '\n';
  return std::move(text_);
}

void JsonWriter::open(char bracket) {
  separate();
  text_ += bracket;
  after_item_ = false;
}

void JsonWriter::close(char bracket) {
  break_ = -1;
  text_ += bracket;
  after_item_ = true;
}

// The comma, space or line break between what was written and what comes.
void JsonWriter::separate() {
  if (after_key_) {
    after_key_ = false;
    return;
  }
  if (after_item_) text_ += ',';
  if (break_ >= 0) {
    text_ += '\n';
    text_.append(static_cast<std::size_t>(break_), ' ');
    break_ = -1;
  } else if (after_item_) {
    text_ += ' ';
  }
  after_item_ = false;
}

void JsonWriter::string(std::string_view text) {
  const bool is_utf8 = simdjson::validate_utf8(text.data(), text.size());
  text_ += '"';
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      text_ += '\\';
      text_ += c;
    } else if (byte < 0x20) {
      fmt::format_to(std::back_inserter(text_), "\\u{:04x}", byte);
    } else if (byte >= 0x80 && !is_utf8) {
      text_ += "\\ufffd";  // JSON has no way to say it; the file stays readable
    } else {
      text_ += c;
    }
  }
  text_ += '"';
}

}  // namespace berth
