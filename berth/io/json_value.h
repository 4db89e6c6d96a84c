// JSON with a sense of place: values that know the path to them, so that every complaint says
// where it is, what is there, and what was expected.
//
//   JsonDocument document(text, "net.json");
//   document.root().fields(required("name", into(name, &JsonValue::text)),
//                          optional("sizes", [&](const JsonValue& sizes) {
//                            sizes.each([&](const JsonValue& v) { all.push_back(v.bytes()); });
//                          }));
//   // net.json: sizes[3] is the string "5", expected a size in bytes from 0 to 4503599627370496
//
// A value points to its parent, so it lives no longer than the callback that received it; the path
// costs nothing until an error is thrown. Wraps the DOM of simdjson, which validates the whole
// document (UTF-8, numbers, nesting) before anything is read. For readers in berth/io only.
#pragma once

#include <functional>

#include <simdjson.h>

#include "berth/base/enum_words.h"
#include "berth/base/fail.h"
#include "berth/base/listed.h"
#include "berth/base/text.h"

namespace berth {

// A field of an object and what to do with its value; see JsonValue::fields.
template <class Read>
struct JsonField {
  std::string_view name;
  bool is_required;
  Read read;
};

template <class Read>
JsonField<Read> required(std::string_view name, Read read) {
  return {name, true, std::move(read)};
}
template <class Read>
JsonField<Read> optional(std::string_view name, Read read) {
  return {name, false, std::move(read)};
}

class JsonValue {
 public:
  JsonValue(simdjson::dom::element element, const std::string& file)
      : element_(element), file_(&file) {}

  bool is_object() const { return element_.is_object(); }
  bool is_array() const { return element_.is_array(); }
  bool is_string() const { return element_.is_string(); }
  bool is_number() const { return element_.is_number(); }
  bool is_null() const { return element_.is_null(); }
  bool has(std::string_view field) const;  // of an object
  std::size_t array_size() const;
  std::size_t position() const { return index_; }  // of an element in its list

  std::string_view text() const { return get<std::string_view>("a string"); }
  bool boolean() const { return get<bool>("true or false"); }
  bool flag() const;      // true, false, 1 or 0
  double number() const;  // finite
  double number_between(double least, double most) const;
  std::int64_t integer_between(std::int64_t least, std::int64_t most) const;  // 3 or 3.0
  std::int64_t integer() const {  // any that a double holds exactly
    return integer_between(-(std::int64_t{1} << 53), std::int64_t{1} << 53);
  }
  Bytes bytes() const;               // not negative; fractions are rounded up
  Bytes bytes_rounded_down() const;  // the same for a limit
  Duration microseconds() const;     // not negative; see limits.h
  Duration milliseconds() const;     // the same, given in ms
  Duration microseconds_or_never() const { return is_null() ? kForever : microseconds(); }

  // Throws Error when an array has another number of elements: "... expected 4, one per device".
  void check_size(std::size_t count, std::string_view why) const;
  // Calls read(element) for each element of an array.
  template <class Read>
  void each(Read&& read) const {
    std::size_t index = 0;
    for (const simdjson::dom::element element : get<simdjson::dom::array>("a list"))
      read(JsonValue(element, *this, index++));
  }
  // Calls read(key, value) for each member of an object.
  template <class Read>
  void each_member(Read&& read) const {
    for (const auto [key, element] : get<simdjson::dom::object>("an object"))
      read(key, JsonValue(element, *this, key));
  }
  // Reads an object whose fields are known: an unknown field, one given twice, or a required one
  // that is missing is an Error.
  template <class... Read>
  void fields(const JsonField<Read>&... known) const {
    read_fields(true, known...);
  }
  // The same, but other fields are ignored: for files of others, which carry more than we use.
  template <class... Read>
  void fields_among_others(const JsonField<Read>&... known) const {
    read_fields(false, known...);
  }

  // net.json: nodes[3].name is the number 5, expected a string
  template <class... Parts>
  [[noreturn]] void expected(fmt::format_string<Parts...> what, Parts&&... parts) const {
    reject(" is " + described() + ", expected " + fmt::format(what, std::forward<Parts>(parts)...));
  }
  // net.json: nodes[3].name: <message>
  template <class... Parts>
  [[noreturn]] void fail(fmt::format_string<Parts...> message, Parts&&... parts) const {
    reject(": " + fmt::format(message, std::forward<Parts>(parts)...));
  }
  std::string path() const;  // "nodes[3].name"; "the document" for the root
  const std::string& file() const { return *file_; }

 private:
  JsonValue(simdjson::dom::element element, const JsonValue& parent, std::size_t index)
      : element_(element), file_(parent.file_), parent_(&parent), index_(index) {}
  JsonValue(simdjson::dom::element element, const JsonValue& parent, std::string_view key)
      : element_(element), file_(parent.file_), parent_(&parent), key_(key), is_member_(true) {}

  double time_in(std::string_view unit, double longest) const;
  std::optional<double> within(double least, double most) const;
  template <class Value>
  Value get(const char* what) const {
    Value value{};
    if (element_.get(value)) expected("{}", what);
    return value;
  }
  std::string described() const;
  [[noreturn]] void reject(const std::string& why) const;

  template <class... Read>
  void read_fields(bool strict, const JsonField<Read>&... known) const {
    static_assert(sizeof...(known) <= 32);
    std::uint32_t seen = 0;
    for (const auto [key, element] : get<simdjson::dom::object>("an object")) {
      std::uint32_t bit = 1;
      bool is_known = false;
      const auto try_field = [&, this, key = key, element = element](const auto& field) {
        if (field.name == key) {
          if (seen & bit) reject(" has the field " + in_quotes(key) + " twice, expected once");
          seen |= bit;
          is_known = true;
          field.read(JsonValue(element, *this, key));
        }
        bit <<= 1;
      };
      (try_field(known), ...);
      if (!is_known && strict)
        reject(" has an unknown field " + in_quotes(key) +
               ", expected one of: " + listed(std::array{known.name...}));
    }
    std::uint32_t bit = 1;
    const auto check = [&](const auto& field) {
      if (field.is_required && !(seen & bit))
        reject(" has no field " + in_quotes(field.name) + ", expected one");
      bit <<= 1;
    };
    (check(known), ...);
  }

  simdjson::dom::element element_;
  const std::string* file_;
  const JsonValue* parent_ = nullptr;
  std::string_view key_;
  std::size_t index_ = 0;
  bool is_member_ = false;
};

// What to do with a field that has its place: `out` becomes read(value). A `read` is a member of
// JsonValue, a function, or one of the two below.
template <class Out, class Read>
auto into(Out& out, Read read) {
  return [&out, read](const JsonValue& value) { out = static_cast<Out>(std::invoke(read, value)); };
}
template <class Read>
auto unless_null(Read read) {
  return [read](const JsonValue& value) {
    if (!value.is_null()) read(value);
  };
}
inline auto number_within(double least, double most) {
  return [=](const JsonValue& value) { return value.number_between(least, most); };
}
inline auto integer_within(std::int64_t least, std::int64_t most) {
  return [=](const JsonValue& value) { return value.integer_between(least, most); };
}
// One of the words of an enum.
template <HasWords E>
E word_at(const JsonValue& value) {
  if (value.is_string())
    if (const std::optional<E> known = enum_value<E>(value.text())) return *known;
  value.expected("{}", listed_or(enum_words<E>()));
}
// Keeps the value to be read when other fields are known.
inline auto into(std::optional<JsonValue>& later) { return into(later, std::identity{}); }

class JsonDocument {
 public:
  // Throws Error with line and column when the text is not JSON. A byte order mark is skipped.
  JsonDocument(std::string_view text, std::string file);

  JsonValue root() const { return JsonValue(root_, file_); }

 private:
  std::string file_;
  simdjson::dom::document document_;
  simdjson::dom::element root_;
};

}  // namespace berth
