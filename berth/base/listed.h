// Words in a row. For messages fmt::join does the same, but g++ 12 warns inside it at -O3.
#pragma once

#include <algorithm>
#include <initializer_list>
#include <string>
#include <string_view>

namespace berth {

inline bool is_one_of(std::string_view word, std::initializer_list<std::string_view> words) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

template <class Words>
std::string listed(const Words& words, std::string_view between = ", ") {
  std::string text;
  for (const auto& word : words) {
    if (!text.empty()) text += between;
    text += word;
  }
  return text;
}

// "a, b or c".
template <class Words>
std::string listed_or(const Words& words) {
  std::string text;
  std::size_t left = words.size();
  for (const auto& word : words) {
    if (!text.empty()) text += left == 1 ? " or " : ", ";
    text += word;
    --left;
  }
  return text;
}

}  // namespace berth
