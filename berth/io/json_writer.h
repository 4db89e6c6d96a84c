// JSON out: a thin writer that puts commas where they belong.
//
// Numbers are written with the fewest digits that read back to the same double; infinities and
// not-a-number become null. Everything stays on one line except where line() asks for a break.
#pragma once

#include <concepts>
#include <optional>
#include <ranges>
#include <string>
#include <string_view>
#include <type_traits>

#include "berth/base/ids.h"
#include "berth/base/units.h"

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
  void value(bool truth) { item(truth ? "true" : "false"); }
  void value(std::string_view text);
  void value(const std::string& text) { value(std::string_view(text)); }
  void value(const char* text) { value(std::string_view(text)); }
  void value(NodeId node) { value(index(node)); }  // by its position
  void value(Bytes size) { value(size.count); }
  void value(std::nullopt_t) { item("null"); }
  template <std::integral T>
  void value(T number) {
    value(
        static_cast<std::conditional_t<std::is_signed_v<T>, std::int64_t, std::uint64_t>>(number));
  }
  template <class T>
  void value(const std::optional<T>& maybe) {
    maybe ? value(*maybe) : value(std::nullopt);
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
  // An object of what `write` writes; a member if it has a name.
  template <class Write>
  void object(Write&& write) {
    open_object();
    write();
    close_object();
  }
  template <class Write>
  void object(std::string_view name, Write&& write) {
    key(name);
    object(write);
  }
  // A member that is a list of what `write` writes.
  template <class Write>
  void array(std::string_view name, Write&& write) {
    key(name);
    open_array();
    write();
    close_array();
  }
  // A member that is a list of value_of(item).
  template <class Items, class ValueOf>
  void list(std::string_view name, const Items& items, ValueOf&& value_of) {
    array(name, [&] {
      for (const auto& item : items) value(value_of(item));
    });
  }
  // A member that is a list of objects, each on a line of its own: of what write(item) writes.
  template <class Items, class Write>
  void objects(std::string_view name, const Items& items, std::size_t indent, Write&& write) {
    array(name, [&] {
      for (const auto& item : items) line(indent).object([&] { write(item); });
    });
  }
  // A member; null when there is no time or it is infinite.
  void milliseconds(std::string_view name, std::optional<Duration> time) {
    member(name, in_milliseconds(time.value_or(kForever)));
  }
  // The next key or value starts a line, indented by `indent`.
  JsonWriter& line(std::size_t indent) {
    break_ = static_cast<std::ptrdiff_t>(indent);
    return *this;
  }

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

// A text that is one object, of what write(json) writes.
template <class Write>
std::string json_object(Write&& write) {
  JsonWriter json;
  json.object([&] { write(json); });
  return std::move(json).finish();
}

}  // namespace berth
