#include "berth/io/name_pattern.h"

#include <fmt/format.h>
#include <re2/re2.h>

#include "berth/base/fail.h"
#include "berth/base/text.h"

namespace berth {
namespace {

// RE2 takes time beyond linear to compile very long patterns: a tenth of a second for this one.
constexpr std::size_t kLongestPattern = 10000;
// Of the compiled pattern and its cache. Patterns that people write need a few kilobytes.
constexpr std::int64_t kMostMemory = std::int64_t{2} << 20;

re2::RE2::Options quiet_and_small() {
  re2::RE2::Options options;
  options.set_log_errors(false);
  options.set_never_capture(true);
  options.set_max_mem(kMostMemory);
  return options;
}

// "missing ]: [a" is RE2's way to name the part of the pattern that is wrong.
std::string what_is_wrong(const re2::RE2& expression) {
  const std::string& why = expression.error();
  const std::string& part = expression.error_arg();
  if (part.empty()) return why;
  return fmt::format("{} at {}", why.substr(0, why.size() - part.size() - 2), in_quotes(part));
}

}  // namespace

NamePattern::NamePattern(std::string_view pattern) {
  if (pattern.size() > kLongestPattern)
    fail("pattern {} has {} bytes, expected at most {}", in_quotes(pattern), pattern.size(),
         kLongestPattern);
  expression_ = std::make_shared<const re2::RE2>(pattern, quiet_and_small());
  if (!expression_->ok())
    fail("pattern {}: {}, expected a regular expression in RE2's syntax", in_quotes(pattern),
         what_is_wrong(*expression_));
}

bool NamePattern::matches(std::string_view name) const {
  return re2::RE2::FullMatch(name, *expression_);
}

}  // namespace berth
