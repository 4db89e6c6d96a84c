// Options of a verb, and checks of their values whose messages say what was expected.
#pragma once

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "berth/base/text.h"

namespace berth {

// What must be given, by its place.
template <class Value>
void argument(CLI::App& verb, const char* name, Value& value, const char* meaning) {
  verb.add_option(name, value, meaning)->required()->type_name("");
}

// An option whose value the help calls by its `type`.
template <class Value>
CLI::Option& option(CLI::App& verb, const char* name, Value& value, const std::string& meaning,
                    const std::string& type) {
  return *verb.add_option(name, value, meaning)->type_name(type);
}
template <class Value>
CLI::Option& option(CLI::App& verb, const char* name, Value& value, const std::string& meaning,
                    const std::string& type, const CLI::Validator& check) {
  return *option(verb, name, value, meaning, type).check(check);
}

// A check that adds nothing to the help: the option's type name says it already.
inline CLI::Validator check(std::function<std::string(std::string&)> test) {
  return CLI::Validator(std::move(test), "");
}

inline CLI::Validator one_of(const std::vector<std::string>& words) {
  return check([words](std::string& text) {
    if (std::ranges::find(words, text) != words.end()) return std::string();
    return fmt::format("expected {}, got '{}'", fmt::join(words, " or "), text);
  });
}

// A finite number of at least `least`; above it when `open`.
inline CLI::Validator number_from(double least, bool open = false) {
  return check([=](std::string& text) {
    const auto number = number_in<double>(text);
    if (number && (open ? *number > least : *number >= least)) return std::string();
    return fmt::format("expected a number {} {}, got '{}'", open ? "above" : "of at least", least,
                       text);
  });
}

// A whole number of at least `least`, within what a signed 64-bit integer holds.
inline CLI::Validator integer_from(std::int64_t least, std::int64_t most = INT64_MAX) {
  return check([=](std::string& text) {
    const auto number = number_in<std::int64_t>(text);
    if (number && *number >= least && *number <= most) return std::string();
    return fmt::format("expected a whole number of at least {}, got '{}'", least, text);
  });
}

}  // namespace berth
