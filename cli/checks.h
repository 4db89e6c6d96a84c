// Checks of option values whose messages say what was expected.
#pragma once

#include <charconv>
#include <cmath>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

namespace berth {

// A check that adds nothing to the help: the option's type name says it already.
inline CLI::Validator check(std::function<std::string(std::string&)> test) {
  return CLI::Validator(std::move(test), "");
}

inline CLI::Validator one_of(const std::vector<std::string>& words) {
  return check([words](std::string& text) {
    for (const std::string& word : words)
      if (text == word) return std::string();
    return fmt::format("expected {}, got '{}'", fmt::join(words, " or "), text);
  });
}

// A finite number of at least `least`; above it when `open`.
inline CLI::Validator number_from(double least, bool open = false) {
  return check([=](std::string& text) {
    double number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    const bool whole = error == std::errc() && end == text.data() + text.size();
    if (whole && std::isfinite(number) && (open ? number > least : number >= least))
      return std::string();
    return fmt::format("expected a number {} {}, got '{}'", open ? "above" : "of at least", least,
                       text);
  });
}

// A whole number of at least `least`, within what a signed 64-bit integer holds.
inline CLI::Validator integer_from(std::int64_t least, std::int64_t most = INT64_MAX) {
  return check([=](std::string& text) {
    std::int64_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    const bool whole = error == std::errc() && end == text.data() + text.size();
    if (whole && number >= least && number <= most) return std::string();
    return fmt::format("expected a whole number of at least {}, got '{}'", least, text);
  });
}

}  // namespace berth
