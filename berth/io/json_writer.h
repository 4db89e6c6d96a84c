// JSON out: a thin writer that puts commas where they belong.
//
// Numbers are written with the fewest digits that read back to the same double; infinities and
// not-a-number become null. Everything stays on one line except where line() asks for a break.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace berth {

class JsonWriter {
 public:
  void open_object() { open('{'); }
  void close_object() { close('}'); }
  void open_array() { open('['); }
  void close_array() { close(']'); }
  void key(std::string_view name);

  void value(double number);
  void value(std::int64_t number);
  void value(std::uint64_t number);
  void value(bool truth);
  void value(std::string_view text);
  void value(const std::string& text) { value(std::string_view(text)); }
  void value(const char* text) { value(std::string_view(text)); }
  void null();

  template <class T>
  void member(std::string_view name, const T& content) {
    key(name);
    value(content);
  }
  // The next key or value starts a line, indented by `indent`.
  void line(std::size_t indent);

  // The text, ended by a newline.
  std::string finish() &&;

 private:
  void open(char bracket);
  void close(char bracket);
  void separate();
  void string(std::string_view text);

  std::string text_;
  bool after_item_ = false;
  bool after_key_ = false;
  std::ptrdiff_t break_ = -1;
};

}  // namespace berth
