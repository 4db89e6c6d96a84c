// Words in a row, for messages. fmt::join does the same, but g++ 12 warns inside it at -O3.
#pragma once

#include <string>
#include <string_view>

namespace berth {

template <class Words>
std::string listed(const Words& words, std::string_view between = ", ") {
  std::string text;
  for (const auto& word : words) {
    if (!text.empty()) text += between;
    text += word;
  }
  return text;
}

}  // namespace berth
