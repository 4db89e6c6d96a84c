#include "berth/io/json_value.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "berth/base/error.h"
#include "berth/base/in_quotes.h"
#include "berth/base/listed.h"
#include "berth/io/limits.h"

namespace berth {

namespace {

using simdjson::dom::element_type;

// No file of ours nests deeper than ten.
constexpr std::size_t kDeepestNesting = 64;

std::string described(simdjson::dom::element element) {
  switch (element.type()) {
    case element_type::ARRAY:
      return "a list";
    case element_type::OBJECT:
      return "an object";
    case element_type::INT64:
      return fmt::format("the number {}", element.get_int64().value_unsafe());
    case element_type::UINT64:
      return fmt::format("the number {}", element.get_uint64().value_unsafe());
    case element_type::DOUBLE:
      return fmt::format("the number {}", element.get_double().value_unsafe());
    case element_type::STRING:
      return "the string " + in_quotes(element.get_string().value_unsafe());
    case element_type::BOOL:
      return element.get_bool().value_unsafe() ? "true" : "false";
    case element_type::NULL_VALUE:
      return "null";
  }
  return "something else";
}

// Finds where JSON goes wrong: simdjson says only that it does. Keeps nothing of the text.
struct ErrorLocator : nlohmann::detail::json_sax_acceptor<nlohmann::json> {
  std::optional<std::size_t> position;  // from 1

  bool parse_error(std::size_t at, const std::string&, const nlohmann::detail::exception&) {
    position = at;
    return false;
  }
};

std::string place_of(std::string_view text, std::size_t position) {
  const std::string_view before = text.substr(0, std::max<std::size_t>(position, 1) - 1);
  const std::size_t line_start = before.rfind('\n') + 1;  // 0 in the first line
  return fmt::format("line {}, column {}", 1 + std::ranges::count(before, '\n'),
                     before.size() - line_start + 1);
}

std::string why_not_json(std::string_view text, simdjson::error_code code) {
  if (text.find_first_not_of(" \t\r\n") == std::string_view::npos)
    return "is empty, expected a JSON object";
  if (code == simdjson::MEMALLOC || code == simdjson::CAPACITY)
    return fmt::format("needs more memory than there is to read {} bytes of JSON", text.size());
  if (code == simdjson::DEPTH_ERROR)
    return fmt::format("nests lists and objects deeper than {} levels", kDeepestNesting);
  if (code == simdjson::UTF8_ERROR) return "is not valid UTF-8, expected JSON";
  ErrorLocator locator;
  nlohmann::json::sax_parse(text, &locator);
  if (!locator.position && code == simdjson::NUMBER_ERROR)
    return "has a number that does not fit 64 bits, expected JSON numbers below 1.8e308 (integers "
           "below 1.8e19)";
  if (!locator.position) return fmt::format("is not valid JSON: {}", simdjson::error_message(code));
  const std::string place = place_of(text, *locator.position);
  if (*locator.position > text.size())
    return fmt::format("ends too early at {}, expected the rest of the JSON", place);
  return fmt::format("{} is not valid JSON: {}", place, simdjson::error_message(code));
}

}  // namespace

JsonDocument::JsonDocument(std::string_view text, std::string file) : file_(std::move(file)) {
  if (text.starts_with("\xef\xbb\xbf")) text.remove_prefix(3);
  // The parser goes away here, with its copy of the text and its index: the document is enough.
  simdjson::dom::parser parser;
  simdjson::error_code code =
      parser.allocate(std::max<std::size_t>(text.size(), 1), kDeepestNesting);
  if (!code) code = parser.parse_into_document(document_, text.data(), text.size()).get(root_);
  if (code) throw Error(fmt::format("{}: {}", file_, why_not_json(text, code)));
}

simdjson::dom::array JsonValue::array() const {
  simdjson::dom::array array;
  if (element_.get_array().get(array)) expected("a list");
  return array;
}

simdjson::dom::object JsonValue::object() const {
  simdjson::dom::object object;
  if (element_.get_object().get(object)) expected("an object");
  return object;
}

bool JsonValue::has(std::string_view field) const {
  return is_object() && element_.at_key(field).error() == simdjson::SUCCESS;
}

std::size_t JsonValue::array_size() const {
  constexpr std::size_t kMostCounted = 0xffffff;  // simdjson stops counting there
  const simdjson::dom::array list = array();
  if (list.size() < kMostCounted) return list.size();
  return static_cast<std::size_t>(std::distance(list.begin(), list.end()));
}

void JsonValue::check_size(std::size_t count, std::string_view why) const {
  if (const std::size_t size = array_size(); size != count)
    fail(fmt::format("has {} entries, expected {}, {}", size, count, why));
}

std::string_view JsonValue::text() const {
  std::string_view text;
  if (element_.get_string().get(text)) expected("a string");
  return text;
}

bool JsonValue::boolean() const {
  bool value = false;
  if (element_.get_bool().get(value)) expected("true or false");
  return value;
}

bool JsonValue::flag() const {
  if (element_.is_bool()) return boolean();
  if (!is_number() || (number() != 0 && number() != 1)) expected("true, false, 1 or 0");
  return number() == 1;
}

double JsonValue::number() const {
  double value = 0;
  if (element_.get_double().get(value) || !std::isfinite(value)) expected("a number");
  return value;
}

double JsonValue::number_between(double least, double most) const {
  const std::string range = most == std::numeric_limits<double>::infinity()
                                ? fmt::format("a number of at least {}", least)
                                : fmt::format("a number from {} to {}", least, most);
  if (!is_number()) expected(range);
  const double value = number();
  if (!(value >= least && value <= most)) expected(range);
  return value;
}

std::int64_t JsonValue::integer_between(std::int64_t least, std::int64_t most) const {
  const auto reject = [&]() { expected(fmt::format("an integer from {} to {}", least, most)); };
  std::int64_t value = 0;
  if (element_.get_int64().get(value)) {
    double real = 0;
    // Within 2^53 a double without fraction is the integer it looks like.
    if (element_.get_double().get(real) || std::abs(real) > 0x1p53 || real != std::trunc(real))
      reject();
    value = static_cast<std::int64_t>(real);
  }
  if (value < least || value > most) reject();
  return value;
}

std::int64_t JsonValue::integer() const {
  constexpr std::int64_t kLargest = std::int64_t{1} << 53;
  return integer_between(-kLargest, kLargest);
}

Bytes JsonValue::bytes() const {
  std::int64_t exact = 0;
  if (!element_.get_int64().get(exact) && exact >= 0 && exact <= kLargestBytes) return Bytes{exact};
  const double value = is_number() ? number() : -1;
  if (!(value >= 0 && value <= static_cast<double>(kLargestBytes)))
    expected(fmt::format("a size in bytes from 0 to {}", kLargestBytes));
  return Bytes{static_cast<std::int64_t>(std::ceil(value))};
}

Bytes JsonValue::bytes_rounded_down() const {
  return Bytes{static_cast<std::int64_t>(number_between(0, static_cast<double>(kLargestBytes)))};
}

double JsonValue::time_in(std::string_view unit, double longest) const {
  const double value = is_number() ? number() : -1;
  if (!(value >= 0 && value <= longest))
    expected(fmt::format("a time in {} from 0 to {}", unit, longest));
  return value;
}

Duration JsonValue::microseconds() const {
  return Duration{time_in("microseconds", kLongestMicros)};
}

Duration JsonValue::milliseconds() const {
  return berth::milliseconds(time_in("milliseconds", kLongestMicros / 1000));
}

Duration JsonValue::microseconds_or_never() const { return is_null() ? kForever : microseconds(); }

std::string JsonValue::path() const {
  if (parent_ == nullptr) return "the document";
  std::string path = parent_->parent_ == nullptr ? "" : parent_->path();
  if (!is_member_) return path + fmt::format("[{}]", index_);
  if (!path.empty()) path += '.';
  const std::string shown = in_quotes(key_);
  return path + shown.substr(1, shown.size() - 2);
}

void JsonValue::expected(std::string_view what) const {
  throw Error(fmt::format("{}: {} is {}, expected {}", *file_, path(), described(element_), what));
}

void JsonValue::fail(std::string_view message) const {
  throw Error(fmt::format("{}: {}: {}", *file_, path(), message));
}

void JsonValue::unknown_field(std::string_view key,
                              const std::vector<std::string_view>& known) const {
  throw Error(fmt::format("{}: {} has an unknown field {}, expected one of: {}", *file_, path(),
                          in_quotes(key), listed(known)));
}

void JsonValue::repeated_field(std::string_view key) const {
  throw Error(
      fmt::format("{}: {} has the field {} twice, expected once", *file_, path(), in_quotes(key)));
}

void JsonValue::missing_field(std::string_view key) const {
  throw Error(fmt::format("{}: {} has no field {}, expected one", *file_, path(), in_quotes(key)));
}

}  // namespace berth
