// JSON out: a thin writer that puts commas where they belong.
//
// Numbers are written with the fewest digits that read back to the same double; infinities and
// not-a-number become null. Everything stays on one line except where line() asks for a break.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <ranges>
#include <string>
#include <string_view>
#include <type_traits>

#include "berth/base/ids.h"

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
  void value(NodeId node) { value(index(node)); }  // by its position
  void null();
  template <std::integral T>
  void value(T number) {
    value(
        static_cast<std::conditional_t<std::is_signed_v<T>, std::int64_t, std::uint64_t>>(number));
  }
  template <class T>
  void value(const std::optional<T>& maybe) {
    maybe ? value(*maybe) : null();
  }
  template <std::ranges::range List>
  requires(!std::convertible_to<const List&, std::string_view>) void value(const List& list) {
    open_array();
    for (const auto& item : list) value(item);
    close_array();
  }

  template <class T>
  void member(std::string_view name, const T& content) {
    key(name);
    value(content);
  }
  // Says nothing when the content is what readers take for granted.
  template <class T>
  void member_unless(std::string_view name, const T& content, const T& usual) {
    if (content != usual) member(name, content);
  }
  // A member that is an object or a list of what `write` writes.
  template <class Write>
  void object(std::string_view name, Write&& write) {
    key(name);
    open_object();
    write();
    close_object();
  }
  template <class Write>
  void array(std::string_view name, Write&& write) {
    key(name);
    open_array();
    write();
    close_array();
  }
  // The next key or value starts a line, indented by `indent`.
  void line(std::size_t indent);

  // The text, ended by a newline.
  std::string finish() &&;

 private:
  void open(char bracket);
  void close(char bracket);
  void item(std::string_view text);
  void separate();
  void string(std::string_view text);

  std::string text_;
  bool after_item_ = false;
  bool after_key_ = false;
  std::ptrdiff_t break_ = -1;
};

}  // namespace berth
