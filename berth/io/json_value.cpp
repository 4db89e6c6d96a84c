#include "berth/io/json_value.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "berth/io/limits.h"

namespace berth {
namespace {

// No file of ours nests deeper than ten.
constexpr std::size_t kDeepestNesting = 64;

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
  if (code) fail("{}: {}", file_, why_not_json(text, code));
}

bool JsonValue::has(std::string_view field) const {
  return is_object() && element_.at_key(field).error() == simdjson::SUCCESS;
}

std::size_t JsonValue::array_size() const {
  constexpr std::size_t kMostCounted = 0xffffff;  // simdjson stops counting there
  const auto list = get<simdjson::dom::array>("a list");
  if (list.size() < kMostCounted) return list.size();
  return static_cast<std::size_t>(std::distance(list.begin(), list.end()));
}

void JsonValue::check_size(std::size_t count, std::string_view why) const {
  if (const std::size_t size = array_size(); size != count)
    fail("has {} entries, expected {}, {}", size, count, why);
}

bool JsonValue::flag() const {
  if (element_.is_bool()) return boolean();
  if (!is_number() || (number() != 0 && number() != 1)) expected("true, false, 1 or 0");
  return number() == 1;
}

double JsonValue::number() const {
  const auto value = get<double>("a number");
  if (!std::isfinite(value)) expected("a number");
  return value;
}

std::optional<double> JsonValue::within(double least, double most) const {
  double value = 0;
  if (element_.get(value) || !(value >= least && value <= most)) return std::nullopt;
  return value;
}

double JsonValue::number_between(double least, double most) const {
  const std::optional<double> value = within(least, most);
  if (!value) expected("a number from {} to {}", least, most);
  return *value;
}

std::int64_t JsonValue::integer_between(std::int64_t least, std::int64_t most) const {
  const auto reject = [&]() { expected("an integer from {} to {}", least, most); };
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

Bytes JsonValue::bytes() const {
  std::int64_t exact = 0;
  if (!element_.get_int64().get(exact) && exact >= 0 && exact <= kLargestBytes) return Bytes{exact};
  const std::optional<double> value = within(0, static_cast<double>(kLargestBytes));
  if (!value) expected("a size in bytes from 0 to {}", kLargestBytes);
  return Bytes{static_cast<std::int64_t>(std::ceil(*value))};
}

Bytes JsonValue::bytes_rounded_down() const {
  return Bytes{static_cast<std::int64_t>(number_between(0, static_cast<double>(kLargestBytes)))};
}

double JsonValue::time_in(std::string_view unit, double longest) const {
  const std::optional<double> value = within(0, longest);
  if (!value) expected("a time in {} from 0 to {}", unit, longest);
  return *value;
}

Duration JsonValue::microseconds() const {
  return Duration{time_in("microseconds", kLongestMicros)};
}

Duration JsonValue::milliseconds() const {
  return berth::milliseconds(time_in("milliseconds", kLongestMicros / 1000));
}

std::string JsonValue::path() const {
  if (parent_ == nullptr) return "the document";
  std::string path = parent_->parent_ == nullptr ? "" : parent_->path();
  if (!is_member_) return path + fmt::format("[{}]", index_);
  if (!path.empty()) path += '.';
  const std::string shown = in_quotes(key_);
  return path + shown.substr(1, shown.size() - 2);
}

std::string JsonValue::described() const {
  if (element_.is_array()) return "a list";
  if (element_.is_object()) return "an object";
  if (element_.is_null()) return "null";
  if (element_.is_bool()) return element_.get_bool().value_unsafe() ? "true" : "false";
  if (element_.is_string()) return "the string " + in_quotes(element_.get_string().value_unsafe());
  if (element_.is_int64()) return fmt::format("the number {}", element_.get_int64().value_unsafe());
  if (element_.is_uint64())
    return fmt::format("the number {}", element_.get_uint64().value_unsafe());
  return fmt::format("the number {}", element_.get_double().value_unsafe());
}

void JsonValue::reject(const std::string& why) const {
  berth::fail("{}: {}{}", *file_, path(), why);
}

}  // namespace berth
