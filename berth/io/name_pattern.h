// Regular expressions on node names, in time O(pattern x name), whatever the pattern.
//
// The syntax is ECMAScript's without back-references and look-ahead:
//   a . [a-z] [^x] \d \w \s \D \W \S \b \B ^ $ ( ) (?: ) | * + ? {n} {n,} {n,m}
// A pattern must match the whole name. It is compiled to a nondeterministic automaton whose states
// are all followed at once, so there is no backtracking: no pattern makes it slow, and no name
// makes the stack overflow, both of which std::regex allows.
//
// Thompson, Regular Expression Search Algorithm, CACM 1968.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace berth {

class NamePattern {
 public:
  // Throws Error with the position of the mistake.
  explicit NamePattern(std::string_view pattern);

  bool matches(std::string_view name) const;

 private:
  friend class PatternCompiler;

  enum class Kind : std::uint8_t {
    kCharacters,  // one character of the set, then `next`
    kSplit,       // `next` or `other`
    kStart,       // only at the start of the name
    kEnd,         // only at its end
    kWordEdge,    // between a word character and another
    kNoWordEdge,
    kMatch,
  };
  struct CharacterSet {
    std::vector<std::pair<char32_t, char32_t>> ranges;
    bool negated = false;
    bool contains(char32_t c) const;
  };
  struct State {
    Kind kind;
    std::uint32_t next = 0, other = 0;
    std::uint32_t set = 0;  // kCharacters
  };

  std::vector<State> states_;
  std::vector<CharacterSet> sets_;
  std::uint32_t start_ = 0;
};

}  // namespace berth
