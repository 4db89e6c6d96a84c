// g++ 12 with sanitizers warns inside <regex>, wrongly.
#ifdef __GNUC__
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif

#include "berth/io/name_pattern.h"

#include <regex>
#include <string>

#include <doctest/doctest.h>

#include "berth/base/error.h"
#include "berth/base/random.h"
#include "tests/io/error_text.h"

using namespace berth;

namespace {

bool matches(const std::string& pattern, const std::string& name) {
  return NamePattern(pattern).matches(name);
}

// A random pattern over {a, b, /} with every construct that std::regex shares.
std::string random_pattern(Rng& rng, int depth) {
  const auto atom = [&]() -> std::string {
    switch (rng.below(depth > 0 ? 9 : 7)) {
      case 0:
        return "a";
      case 1:
        return "b";
      case 2:
        return ".";
      case 3:
        return "[^a]";
      case 4:
        return "\\w";
      case 5:
        return "[a/]";
      case 6:
        return rng.below(3) == 0 ? "\\b" : "/";
      default:
        return (rng.below(2) ? "(" : "(?:") + random_pattern(rng, depth - 1) + ")";
    }
  };
  std::string pattern;
  const std::size_t length = rng.below(4) + 1;
  for (std::size_t i = 0; i < length; ++i) {
    if (i > 0 && rng.below(6) == 0) pattern += '|';
    const std::string part = atom();
    pattern += part;
    if (part == "\\b") continue;
    switch (rng.below(8)) {
      case 0:
        pattern += "*";
        break;
      case 1:
        pattern += "+";
        break;
      case 2:
        pattern += "?";
        break;
      case 3:
        pattern += "{1,2}";
        break;
      case 4:
        pattern += "*?";
        break;
      default:
        break;
    }
  }
  return pattern;
}

}  // namespace

TEST_CASE("patterns match whole names") {
  CHECK(matches("conv1", "conv1"));
  CHECK(!matches("conv1", "conv10"));
  CHECK(matches("conv1.*", "conv10"));
  CHECK(matches("layer(1|2)/.+", "layer2/x"));
  CHECK(!matches("layer(1|2)/.+", "layer2/"));
  CHECK(matches("a{2,3}", "aaa"));
  CHECK(!matches("a{2,3}", "aaaa"));
  CHECK(matches("a{2,}", "aaaaaaa"));
  CHECK(matches("[\\w.-]+", "blocks.0-x_Y"));
  CHECK(matches("\\x41\\u0042", "AB"));
  CHECK(matches("[^/]*", ""));
  CHECK(matches("^a$", "a"));
  CHECK(!matches("a^b", "ab"));
  CHECK(matches("\\d\\D\\s\\S\\W", "1a b/"));
  CHECK(matches("", ""));
  CHECK(!matches("[]", "a"));
  CHECK(matches("[^]", "a"));
}

TEST_CASE("a dot is one character, however many bytes it takes") {
  CHECK(matches("x.y", "x\xe2\x82\xacy"));
  CHECK(matches("[\xc3\xa4-\xc3\xbc]", "\xc3\xb6"));
  CHECK(matches("x.y", "x\xffy"));
}

TEST_CASE("the standard library agrees on thousands of random patterns") {
  Rng rng(5);
  int matched = 0;
  for (int i = 0; i < 3000; ++i) {
    const std::string pattern = random_pattern(rng, 2);
    const std::regex standard(pattern);
    const NamePattern ours(pattern);
    for (int k = 0; k < 8; ++k) {
      std::string name;
      for (std::size_t length = rng.below(6); length > 0; --length) name += "ab/"[rng.below(3)];
      CAPTURE(pattern);
      CAPTURE(name);
      const bool expected = std::regex_match(name, standard);
      matched += expected ? 1 : 0;
      CHECK(ours.matches(name) == expected);
    }
  }
  CHECK(matched > 1000);
}

TEST_CASE("no pattern hangs and no name overflows the stack") {
  const std::string name(200000, 'a');
  CHECK(matches(".*", name));
  CHECK(matches("(a|aa)*", name));
  CHECK(matches("(a*)*", name));
  CHECK(!matches("(a*)*b", name));
  CHECK(!matches("(a+)+b", std::string(5000, 'a')));
  for (const std::string& pattern :
       {std::string(1000, '('), std::string("(((a{900}){900}){900})"), std::string(3000, 'a'),
        std::string("((((((){900}){900}){900}){900}){900})"), std::string("a{1001}")})
    CHECK_THROWS_AS(NamePattern{pattern}, Error);
}

TEST_CASE("what is not supported or broken is said with its place") {
  const auto error = [](const std::string& pattern) {
    return error_of([&] { NamePattern{pattern}; });
  };
  CHECK(error("a(?=b)") ==
        "pattern \"a(?=b)\" uses (?, which is supported only as (?: at character 4, "
        "expected an ECMAScript regular expression");
  CHECK(error("(a)\\1").find("escape that is not supported") != std::string::npos);
  CHECK(error("*a").find("nothing to repeat at character 1") != std::string::npos);
  CHECK(error("[a").find("[ without ]") != std::string::npos);
  CHECK(error("[b-a]").find("range that does not go up") != std::string::npos);
  CHECK(error("a)").find(") without (") != std::string::npos);
  CHECK(error("a\\").find("ends in a backslash") != std::string::npos);
  CHECK(error("a{2,1}").find("m below n") != std::string::npos);
}
