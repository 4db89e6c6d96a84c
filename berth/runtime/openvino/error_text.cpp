#include "berth/runtime/openvino/error_text.h"

#include <algorithm>
#include <array>

namespace berth {
namespace {

std::string_view trimmed(std::string_view text) {
  constexpr const char* kSpaces = " \t\r";
  const std::size_t first = text.find_first_not_of(kSpaces);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kSpaces) + 1 - first);
}

// "Exception from src/core/...:97:", "Check '...' failed at src/...:12:" and the like.
bool is_about_its_own_code(std::string_view line) {
  constexpr std::array<std::string_view, 3> kSigns{"Exception from src", "failed at src",
                                                   "While validating node"};
  return std::ranges::any_of(
      kSigns, [&](std::string_view sign) { return line.find(sign) != std::string_view::npos; });
}

}  // namespace

std::string openvino_error_text(std::string_view what) {
  constexpr std::size_t kLongest = 300;
  std::string text;
  while (!what.empty()) {
    const std::size_t end = std::min(what.find('\n'), what.size());
    const std::string_view line = trimmed(what.substr(0, end));
    what.remove_prefix(std::min(end + 1, what.size()));
    if (line.empty() || is_about_its_own_code(line)) continue;
    if (!text.empty()) text += text.ends_with(':') ? " " : "; ";
    text += line;
  }
  if (text.size() > kLongest) text = text.substr(0, kLongest) + "...";
  return text.empty() ? "no reason given" : text;
}

}  // namespace berth
