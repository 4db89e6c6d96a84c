// Regular expressions on node names, in RE2's syntax, without back references and look-around.
//
// A pattern must match the whole name. RE2 follows all states of an automaton at once, so time is
// O(pattern x name) for every pattern and no name makes the stack overflow; std::regex promises
// neither.
#pragma once

#include <memory>
#include <string_view>

namespace re2 {
class RE2;
}

namespace berth {

class NamePattern {
 public:
  // Throws Error with the part of the pattern that is wrong, or when it is too large.
  explicit NamePattern(std::string_view pattern);

  bool matches(std::string_view name) const;

 private:
  std::shared_ptr<const re2::RE2> expression_;
};

}  // namespace berth
