#include "berth/io/name_pattern.h"

#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "berth/base/error.h"
#include "berth/base/in_quotes.h"

namespace berth {

namespace {

constexpr std::size_t kLongestPattern = 2000;
constexpr std::size_t kMostStates = 20000;
constexpr int kDeepestGroups = 50;
constexpr std::uint32_t kMostRepeats = 1000;

// Characters of UTF-8 text; a broken byte becomes a character of its own that no pattern names.
std::vector<char32_t> characters(std::string_view text) {
  std::vector<char32_t> result;
  result.reserve(text.size());
  for (std::size_t i = 0; i < text.size();) {
    const auto lead = static_cast<unsigned char>(text[i]);
    const std::size_t length = lead < 0x80    ? 1
                               : lead >= 0xf0 ? 4
                               : lead >= 0xe0 ? 3
                               : lead >= 0xc0 ? 2
                                              : 0;
    bool valid = length > 0 && i + length <= text.size();
    char32_t c = length <= 1 ? lead : lead & (0xffu >> (length + 1));
    for (std::size_t k = 1; valid && k < length; ++k) {
      const auto byte = static_cast<unsigned char>(text[i + k]);
      valid = (byte & 0xc0) == 0x80;
      c = (c << 6) | (byte & 0x3f);
    }
    result.push_back(valid ? c : 0xdc00 + lead);
    i += valid ? length : 1;
  }
  return result;
}

bool is_word(char32_t c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

constexpr char32_t kLastCharacter = 0x10ffff;

}  // namespace

bool NamePattern::CharacterSet::contains(char32_t c) const {
  const bool inside = std::ranges::any_of(
      ranges, [&](const auto& range) { return c >= range.first && c <= range.second; });
  return inside != negated;
}

// Recursive descent to a tree, then the automaton from its end: each part is told which state comes
// after it and returns the state it starts with. A repeated part is emitted once per repetition.
class PatternCompiler {
 public:
  PatternCompiler(std::string_view pattern, NamePattern& out)
      : shown_(pattern), text_(characters(pattern)), out_(out) {}

  void compile() {
    if (shown_.size() > kLongestPattern)
      fail(fmt::format("is longer than {} bytes", kLongestPattern));
    const Part whole = parse_alternatives(0);
    if (at_ < text_.size()) fail("has a ) without (");
    const std::uint32_t match = add({.kind = NamePattern::Kind::kMatch});
    out_.start_ = emit(whole, match);
  }

 private:
  // The pattern as a tree, in one vector: children are indices.
  enum class Form { kEmpty, kCharacters, kAssertion, kSequence, kAlternatives, kRepeat };
  using Part = std::uint32_t;
  struct Tree {
    Form form = Form::kEmpty;
    std::vector<Part> children{};
    std::uint32_t set = 0;
    NamePattern::Kind assertion = NamePattern::Kind::kStart;
    std::uint32_t least = 0;
    std::optional<std::uint32_t> most{};
  };

  [[noreturn]] void fail(const std::string& why) const {
    throw Error(
        fmt::format("pattern {} {} at character {}, expected an ECMAScript regular expression",
                    in_quotes(shown_), why, std::min(at_, text_.size()) + 1));
  }
  bool ended() const { return at_ >= text_.size(); }
  bool next_is(char32_t c) const { return !ended() && text_[at_] == c; }
  bool take(char32_t c) { return next_is(c) ? (++at_, true) : false; }

  Part grow(Tree tree) {
    trees_.push_back(std::move(tree));
    return static_cast<Part>(trees_.size() - 1);
  }
  Part characters_part(NamePattern::CharacterSet set) {
    out_.sets_.push_back(std::move(set));
    return grow(
        {.form = Form::kCharacters, .set = static_cast<std::uint32_t>(out_.sets_.size() - 1)});
  }

  Part parse_alternatives(int depth) {
    if (depth > kDeepestGroups) fail(fmt::format("nests groups deeper than {}", kDeepestGroups));
    Tree tree{.form = Form::kAlternatives};
    do {
      tree.children.push_back(parse_sequence(depth));
    } while (take('|'));
    return tree.children.size() == 1 ? tree.children[0] : grow(std::move(tree));
  }

  Part parse_sequence(int depth) {
    Tree tree{.form = Form::kSequence};
    while (!ended() && !next_is('|') && !next_is(')')) tree.children.push_back(parse_repeat(depth));
    return grow(std::move(tree));
  }

  Part parse_repeat(int depth) {
    const Part part = parse_atom(depth);
    Tree tree{.form = Form::kRepeat, .children = {part}};
    if (take('*')) {
    } else if (take('+')) {
      tree.least = 1;
    } else if (take('?')) {
      tree.most = 1;
    } else if (take('{')) {
      tree.least = parse_count();
      tree.most = tree.least;
      if (take(',')) tree.most = next_is('}') ? std::nullopt : std::optional(parse_count());
      if (!take('}')) fail("has { without }");
      if (tree.most && *tree.most < tree.least) fail("has a repetition {n,m} with m below n");
    } else {
      return part;
    }
    if (trees_[part].form == Form::kAssertion) fail("repeats a position");
    take('?');  // lazy: the same names match
    if (next_is('*') || next_is('+') || next_is('?') || next_is('{')) fail("repeats a repetition");
    return grow(std::move(tree));
  }

  std::uint32_t parse_count() {
    if (ended() || text_[at_] < '0' || text_[at_] > '9') fail("has { without a number");
    std::uint32_t count = 0;
    while (!ended() && text_[at_] >= '0' && text_[at_] <= '9') {
      count = count * 10 + static_cast<std::uint32_t>(text_[at_] - '0');
      if (count > kMostRepeats) fail(fmt::format("repeats more than {} times", kMostRepeats));
      ++at_;
    }
    return count;
  }

  Part parse_atom(int depth) {
    const char32_t c = text_[at_];
    switch (c) {
      case '(': {
        ++at_;
        if (take('?') && !take(':')) fail("uses (?, which is supported only as (?:");
        const Part part = parse_alternatives(depth + 1);
        if (!take(')')) fail("has ( without )");
        // A group of one assertion or of nothing is still a group: wrap it so that it may repeat.
        return grow({.form = Form::kSequence, .children = {part}});
      }
      case '[':
        ++at_;
        return parse_set();
      case '\\':
        ++at_;
        return parse_escape();
      case '.':
        ++at_;
        return characters_part({{{'\n', '\n'}, {'\r', '\r'}, {0x2028, 0x2029}}, true});
      case '^':
        ++at_;
        return grow({.form = Form::kAssertion, .assertion = NamePattern::Kind::kStart});
      case '$':
        ++at_;
        return grow({.form = Form::kAssertion, .assertion = NamePattern::Kind::kEnd});
      case '*':
      case '+':
      case '?':
      case '{':
        fail("has nothing to repeat");
      default:
        ++at_;
        return characters_part({{{c, c}}, false});
    }
  }

  Part parse_escape() {
    if (next_is('b') || next_is('B')) {
      const bool edge = text_[at_++] == 'b';
      return grow(
          {.form = Form::kAssertion,
           .assertion = edge ? NamePattern::Kind::kWordEdge : NamePattern::Kind::kNoWordEdge});
    }
    NamePattern::CharacterSet set;
    add_escaped(set);
    return characters_part(std::move(set));
  }

  // What follows a backslash, added to a set; the character when it is a single one.
  std::optional<char32_t> add_escaped(NamePattern::CharacterSet& set) {
    if (ended()) fail("ends in a backslash");
    const char32_t c = text_[at_++];
    const auto add_class = [&](std::vector<std::pair<char32_t, char32_t>> ranges, bool complement) {
      if (complement) {
        std::ranges::sort(ranges);
        char32_t from = 0;
        for (const auto& [first, last] : ranges) {
          if (first > from) set.ranges.emplace_back(from, first - 1);
          from = last + 1;
        }
        set.ranges.emplace_back(from, kLastCharacter);
      } else {
        set.ranges.insert(set.ranges.end(), ranges.begin(), ranges.end());
      }
      return std::nullopt;
    };
    const auto add_one = [&](char32_t one) {
      set.ranges.emplace_back(one, one);
      return std::optional(one);
    };
    switch (c) {
      case 'd':
      case 'D':
        return add_class({{'0', '9'}}, c == 'D');
      case 'w':
      case 'W':
        return add_class({{'0', '9'}, {'A', 'Z'}, {'_', '_'}, {'a', 'z'}}, c == 'W');
      case 's':
      case 'S':
        return add_class({{'\t', '\r'},
                          {' ', ' '},
                          {0xa0, 0xa0},
                          {0x1680, 0x1680},
                          {0x2000, 0x200a},
                          {0x2028, 0x2029},
                          {0x202f, 0x202f},
                          {0x205f, 0x205f},
                          {0x3000, 0x3000},
                          {0xfeff, 0xfeff}},
                         c == 'S');
      case 'n':
        return add_one('\n');
      case 't':
        return add_one('\t');
      case 'r':
        return add_one('\r');
      case 'f':
        return add_one('\f');
      case 'v':
        return add_one('\v');
      case '0':
        return add_one(0);
      case 'x':
        return add_one(parse_hexadecimal(2));
      case 'u':
        return add_one(parse_hexadecimal(4));
      default:
        if (is_word(c) && c != '_') fail("uses an escape that is not supported");
        return add_one(c);
    }
  }

  char32_t parse_hexadecimal(int digits) {
    char32_t value = 0;
    for (int i = 0; i < digits; ++i) {
      if (ended()) fail("ends inside an escape");
      const char32_t c = text_[at_++];
      if (c >= '0' && c <= '9')
        value = value * 16 + (c - '0');
      else if (c >= 'a' && c <= 'f')
        value = value * 16 + (c - 'a' + 10);
      else if (c >= 'A' && c <= 'F')
        value = value * 16 + (c - 'A' + 10);
      else
        fail("has an escape without hexadecimal digits");
    }
    return value;
  }

  Part parse_set() {
    NamePattern::CharacterSet set;
    set.negated = take('^');
    while (!take(']')) {
      if (ended()) fail("has [ without ]");
      const std::optional<char32_t> first = parse_set_member(set);
      if (!next_is('-') || at_ + 1 >= text_.size() || text_[at_ + 1] == ']') continue;
      ++at_;
      const std::optional<char32_t> last = parse_set_member(set);
      if (!first || !last || *last < *first) fail("has a range that does not go up");
      set.ranges.emplace_back(*first, *last);
    }
    return characters_part(std::move(set));
  }

  std::optional<char32_t> parse_set_member(NamePattern::CharacterSet& set) {
    if (take('\\')) {
      if (take('b')) return set.ranges.emplace_back(8, 8), std::optional<char32_t>(8);
      return add_escaped(set);
    }
    const char32_t c = text_[at_++];
    set.ranges.emplace_back(c, c);
    return c;
  }

  std::uint32_t add(NamePattern::State state) {
    if (out_.states_.size() >= kMostStates)
      throw Error(fmt::format("pattern {} repeats too much, expected at most {} states",
                              in_quotes(shown_), kMostStates));
    out_.states_.push_back(state);
    return static_cast<std::uint32_t>(out_.states_.size() - 1);
  }

  // Repetitions of nothing cost no states but time: count every visit.
  std::uint32_t emit(Part part, std::uint32_t next) {
    if (++visits_ > 10 * kMostStates)
      throw Error(fmt::format("pattern {} repeats too much, expected fewer nested repetitions",
                              in_quotes(shown_)));
    const Tree& tree = trees_[part];
    switch (tree.form) {
      case Form::kEmpty:
        return next;
      case Form::kCharacters:
        return add({.kind = NamePattern::Kind::kCharacters, .next = next, .set = tree.set});
      case Form::kAssertion:
        return add({.kind = tree.assertion, .next = next});
      case Form::kSequence:
        for (auto child = tree.children.rbegin(); child != tree.children.rend(); ++child)
          next = emit(*child, next);
        return next;
      case Form::kAlternatives: {
        std::uint32_t start = emit(tree.children.back(), next);
        for (auto child = tree.children.rbegin() + 1; child != tree.children.rend(); ++child) {
          const std::uint32_t branch = emit(*child, next);
          start = add({.kind = NamePattern::Kind::kSplit, .next = branch, .other = start});
        }
        return start;
      }
      case Form::kRepeat:
        return emit_repeat(tree, next);
    }
    return next;
  }

  std::uint32_t emit_repeat(const Tree& tree, std::uint32_t next) {
    const Part child = tree.children[0];
    std::uint32_t start = next;
    if (!tree.most) {
      start = add({.kind = NamePattern::Kind::kSplit, .other = next});
      const std::uint32_t body = emit(child, start);
      out_.states_[start].next = body;
    } else {
      for (std::uint32_t i = tree.least; i < *tree.most; ++i) {
        const std::uint32_t body = emit(child, start);
        start = add({.kind = NamePattern::Kind::kSplit, .next = body, .other = next});
      }
    }
    for (std::uint32_t i = 0; i < tree.least; ++i) start = emit(child, start);
    return start;
  }

  std::string_view shown_;
  std::vector<char32_t> text_;
  NamePattern& out_;
  std::vector<Tree> trees_;
  std::size_t at_ = 0;
  std::size_t visits_ = 0;
};

NamePattern::NamePattern(std::string_view pattern) { PatternCompiler(pattern, *this).compile(); }

bool NamePattern::matches(std::string_view name) const {
  const std::vector<char32_t> text = characters(name);
  std::vector<std::uint32_t> current, following, stack;
  std::vector<std::size_t> seen_at(states_.size(), ~std::size_t{0});

  // All states reachable without reading, at position `at`.
  const auto enter = [&](std::uint32_t first, std::size_t at, std::vector<std::uint32_t>& states) {
    stack.push_back(first);
    while (!stack.empty()) {
      const std::uint32_t id = stack.back();
      stack.pop_back();
      if (seen_at[id] == at) continue;
      seen_at[id] = at;
      const State& state = states_[id];
      const bool edge =
          (at > 0 && is_word(text[at - 1])) != (at < text.size() && is_word(text[at]));
      switch (state.kind) {
        case Kind::kCharacters:
        case Kind::kMatch:
          states.push_back(id);
          break;
        case Kind::kSplit:
          stack.push_back(state.other);
          stack.push_back(state.next);
          break;
        case Kind::kStart:
          if (at == 0) stack.push_back(state.next);
          break;
        case Kind::kEnd:
          if (at == text.size()) stack.push_back(state.next);
          break;
        case Kind::kWordEdge:
          if (edge) stack.push_back(state.next);
          break;
        case Kind::kNoWordEdge:
          if (!edge) stack.push_back(state.next);
          break;
      }
    }
  };

  enter(start_, 0, current);
  for (std::size_t at = 0; at < text.size() && !current.empty(); ++at) {
    following.clear();
    for (const std::uint32_t id : current)
      if (states_[id].kind == Kind::kCharacters && sets_[states_[id].set].contains(text[at]))
        enter(states_[id].next, at + 1, following);
    std::swap(current, following);
  }
  return std::ranges::any_of(current,
                             [&](std::uint32_t id) { return states_[id].kind == Kind::kMatch; });
}

}  // namespace berth
