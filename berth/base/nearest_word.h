// The word a user probably meant: least edit distance, first of equals.
//
// Distance counts inserted, dropped, changed and swapped neighbouring letters (optimal string
// alignment), O(a b) per pair.
#pragma once

#include <algorithm>
#include <numeric>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace berth {

inline std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before(b.size() + 1), last(b.size() + 1), now(b.size() + 1);
  std::iota(last.begin(), last.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    now[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t change = last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      now[j] = std::min({last[j] + 1, now[j - 1] + 1, change});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        now[j] = std::min(now[j], before[j - 2] + 1);
    }
    std::swap(before, last);
    std::swap(last, now);
  }
  return last.back();
}

inline std::string nearest_word(std::string_view word, const std::vector<std::string>& known) {
  const auto nearest =
      std::min_element(known.begin(), known.end(), [&](const auto& a, const auto& b) {
        return edit_distance(word, a) < edit_distance(word, b);
      });
  return nearest == known.end() ? std::string() : *nearest;
}

// The nearest word if a slip could explain the difference; a word unlike all others is no help.
inline std::optional<std::string> similar_word(std::string_view word,
                                               const std::vector<std::string>& known) {
  const std::string nearest = nearest_word(word, known);
  const std::size_t slips = std::max<std::size_t>(2, word.size() / 3);
  if (nearest.empty() || edit_distance(word, nearest) > slips) return std::nullopt;
  return nearest;
}

}  // namespace berth
