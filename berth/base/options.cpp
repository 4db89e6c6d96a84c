#include "berth/base/options.h"

#include <cctype>
#include <charconv>
#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "berth/base/error.h"

namespace berth {
namespace {

std::string_view trim(std::string_view text) {
  while (!text.empty() && std::isspace(static_cast<unsigned char>(text.front())))
    text.remove_prefix(1);
  while (!text.empty() && std::isspace(static_cast<unsigned char>(text.back())))
    text.remove_suffix(1);
  return text;
}

// The place of the first `wanted` outside brackets, or npos. Throws on unbalanced brackets.
std::size_t find_outside(std::string_view text, char wanted) {
  int depth = 0;
  std::size_t found = std::string_view::npos;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == wanted && depth == 0 && found == std::string_view::npos) found = i;
    if (text[i] == '(') ++depth;
    if (text[i] == ')' && --depth < 0)
      throw Error(fmt::format("'{}': the ')' at character {} closes nothing", text, i + 1));
  }
  if (depth > 0) throw Error(fmt::format("'{}': a '(' is not closed", text));
  return found;
}

template <class T>
void read_number(const std::string& where, const std::string& text, T& out, const char* kind) {
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), out);
  bool good = failure == std::errc{} && end == text.data() + text.size();
  if constexpr (std::is_floating_point_v<T>) good = good && std::isfinite(out);
  if (!good) throw Error(fmt::format("{}: '{}' is not {}", where, text, kind));
}

}  // namespace

std::vector<std::string> split_specs(std::string_view text) {
  std::vector<std::string> parts;
  for (std::string_view rest = text;;) {
    const std::size_t comma = find_outside(rest, ',');
    const std::string_view part = trim(rest.substr(0, comma));
    if (part.empty()) throw Error(fmt::format("'{}': a name is missing between commas", text));
    parts.emplace_back(part);
    if (comma == std::string_view::npos) return parts;
    rest.remove_prefix(comma + 1);
  }
}

Spec parse_spec(std::string_view text) {
  text = trim(text);
  const std::size_t open = find_outside(text, '(');
  Spec spec{std::string(trim(text.substr(0, open))), {}};
  if (spec.name.empty()) throw Error(fmt::format("'{}': a method name is expected", text));
  for (const char c : spec.name)
    if (!std::isalnum(static_cast<unsigned char>(c)) && c != '-' && c != '_')
      throw Error(fmt::format("'{}': '{}' cannot be part of a method name", text, c));
  if (open == std::string_view::npos) return spec;
  if (text.back() != ')') throw Error(fmt::format("'{}': text after the closing ')'", text));
  const std::string_view inside = trim(text.substr(open + 1, text.size() - open - 2));
  if (inside.empty()) return spec;
  for (const std::string& part : split_specs(inside)) {
    const std::size_t equals = find_outside(part, '=');
    const std::string key(trim(std::string_view(part).substr(0, equals)));
    if (equals == std::string::npos || key.empty())
      throw Error(fmt::format("'{}': '{}' should be key=value", text, part));
    for (const auto& [known, value] : spec.values)
      if (known == key) throw Error(fmt::format("'{}': {} is given twice", text, key));
    spec.values.emplace_back(key, trim(std::string_view(part).substr(equals + 1)));
  }
  return spec;
}

namespace option_text {

void read(const std::string& where, const std::string& text, int& out) {
  read_number(where, text, out, "a whole number");
}
void read(const std::string& where, const std::string& text, double& out) {
  read_number(where, text, out, "a number");
}
void read(const std::string& where, const std::string& text, bool& out) {
  if (text == "true" || text == "1" || text == "yes" || text == "on")
    out = true;
  else if (text == "false" || text == "0" || text == "no" || text == "off")
    out = false;
  else
    reject_word(where, text, {"true", "false"});
}
void read(const std::string&, const std::string& text, std::string& out) { out = text; }

void reject_word(const std::string& where, const std::string& text,
                 const std::vector<std::string>& words) {
  throw Error(fmt::format("{}: '{}' is not one of {}", where, text, fmt::join(words, ", ")));
}

std::string write(int value) { return std::to_string(value); }
std::string write(double value) { return fmt::format("{}", value); }
std::string write(bool value) { return value ? "true" : "false"; }
std::string write(const std::string& value) { return value; }

}  // namespace option_text

void reject_option(const Spec& spec, const std::string& key, const std::vector<OptionHelp>& known) {
  if (known.empty())
    throw Error(fmt::format("{} takes no options, but '{}' was given", spec.name, key));
  std::vector<std::string> keys;
  for (const OptionHelp& option : known) keys.push_back(option.key);
  throw Error(
      fmt::format("{} has no option '{}'; it has {}", spec.name, key, fmt::join(keys, ", ")));
}

}  // namespace berth
