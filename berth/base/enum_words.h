// The words of an enum: one table prints, reads and lists them.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace berth {

// Specialise with  static constexpr std::array<std::pair<const char*, E>, N> values.  The first
// fitting word is used for printing.
template <class E>
struct OptionNames;

template <class E>
concept HasWords = requires {
  OptionNames<E>::values;
};

template <HasWords E>
const char* to_string(E value) {
  for (const auto& [word, candidate] : OptionNames<E>::values)
    if (candidate == value) return word;
  return "?";
}

template <HasWords E>
std::optional<E> enum_value(std::string_view word) {
  for (const auto& [known, value] : OptionNames<E>::values)
    if (known == word) return value;
  return std::nullopt;
}

template <HasWords E>
std::vector<std::string> enum_words() {
  std::vector<std::string> words;
  for (const auto& entry : OptionNames<E>::values) words.emplace_back(entry.first);
  return words;
}

}  // namespace berth
