#include "berth/base/options.h"

#include <cctype>

#include <fmt/format.h>

#include "berth/base/fail.h"
#include "berth/base/text.h"

namespace berth {
namespace {

// The place of the first `wanted` outside brackets, or npos. Throws on unbalanced brackets.
std::size_t find_outside(std::string_view text, char wanted) {
  int depth = 0;
  std::size_t found = std::string_view::npos;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == wanted && depth == 0 && found == std::string_view::npos) found = i;
    if (text[i] == '(') ++depth;
    if (text[i] == ')' && --depth < 0)
      fail("'{}': the ')' at character {} closes nothing", text, i + 1);
  }
  if (depth > 0) fail("'{}': a '(' is not closed", text);
  return found;
}

template <class Number>
Number read_number(const std::string& where, const std::string& text, const char* kind) {
  if (const auto number = number_in<Number>(text)) return *number;
  fail("{}: '{}' is not {}", where, text, kind);
}

}  // namespace

std::vector<std::string> split_specs(std::string_view text) {
  std::vector<std::string> parts;
  for (std::string_view rest = text;;) {
    const std::size_t comma = find_outside(rest, ',');
    const std::string_view part = trimmed(rest.substr(0, comma));
    if (part.empty()) fail("'{}': a name is missing between commas", text);
    parts.emplace_back(part);
    if (comma == std::string_view::npos) return parts;
    rest.remove_prefix(comma + 1);
  }
}

Spec parse_spec(std::string_view text) {
  text = trimmed(text);
  const std::size_t open = find_outside(text, '(');
  Spec spec{std::string(trimmed(text.substr(0, open))), {}};
  if (spec.name.empty()) fail("'{}': a method name is expected", text);
  for (const char c : spec.name)
    if (!std::isalnum(static_cast<unsigned char>(c)) && c != '-' && c != '_')
      fail("'{}': '{}' cannot be part of a method name", text, c);
  if (open == std::string_view::npos) return spec;
  if (text.back() != ')') fail("'{}': text after the closing ')'", text);
  const std::string_view inside = trimmed(text.substr(open + 1, text.size() - open - 2));
  if (inside.empty()) return spec;
  for (const std::string& part : split_specs(inside)) {
    const std::size_t equals = find_outside(part, '=');
    const std::string key(trimmed(std::string_view(part).substr(0, equals)));
    if (equals == std::string::npos || key.empty())
      fail("'{}': '{}' should be key=value", text, part);
    for (const auto& [known, value] : spec.values)
      if (known == key) fail("'{}': {} is given twice", text, key);
    spec.values.emplace_back(key, trimmed(std::string_view(part).substr(equals + 1)));
  }
  return spec;
}

namespace option_text {

void read(const std::string& where, const std::string& text, int& out) {
  out = read_number<int>(where, text, "a whole number");
}
void read(const std::string& where, const std::string& text, double& out) {
  out = read_number<double>(where, text, "a number");
}
void read(const std::string& where, const std::string& text, bool& out) {
  out = is_one_of(text, {"true", "1", "yes", "on"});
  if (!out && !is_one_of(text, {"false", "0", "no", "off"}))
    reject_word(where, text, {"true", "false"});
}
void read(const std::string&, const std::string& text, std::string& out) { out = text; }

void reject_word(const std::string& where, const std::string& text,
                 const std::vector<std::string>& words) {
  fail("{}: '{}' is not one of {}", where, text, listed(words));
}

std::string write(int value) { return std::to_string(value); }
std::string write(double value) { return fmt::format("{}", value); }
std::string write(bool value) { return value ? "true" : "false"; }
std::string write(const std::string& value) { return value; }

}  // namespace option_text

void reject_option(const Spec& spec, const std::string& key, const std::vector<OptionHelp>& known) {
  if (known.empty()) fail("{} takes no options, but '{}' was given", spec.name, key);
  std::vector<std::string> keys;
  for (const OptionHelp& option : known) keys.push_back(option.key);
  fail("{} has no option '{}'; it has {}", spec.name, key, listed(keys));
}

}  // namespace berth
