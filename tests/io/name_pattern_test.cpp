#include "berth/io/name_pattern.h"

#include <string>

#include <doctest/doctest.h>

#include "berth/base/error.h"
#include "tests/io/error_text.h"

using namespace berth;

namespace {

bool matches(const std::string& pattern, const std::string& name) {
  return NamePattern(pattern).matches(name);
}

}  // namespace

TEST_CASE("patterns match whole names") {
  CHECK(matches("conv1", "conv1"));
  CHECK(!matches("conv1", "conv10"));
  CHECK(!matches("conv|relu", "conv/relu"));  // both ends hold for both alternatives
  CHECK(matches("conv1.*", "conv10"));
  CHECK(matches("layer(1|2)/.+", "layer2/x"));
  CHECK(!matches("layer(1|2)/.+", "layer2/"));
  CHECK(matches("", ""));
  CHECK(matches("^a$", "a"));
  CHECK(!matches("a^b", "ab"));
}

TEST_CASE("patterns are what the page of formats says") {
  CHECK(matches("a{2,3}", "aaa"));
  CHECK(!matches("a{2,3}", "aaaa"));
  CHECK(matches("a{2,}", "aaaaaaa"));
  CHECK(matches("[\\w.-]+", "blocks.0-x_Y"));
  CHECK(matches("[^/]*", ""));
  CHECK(matches("\\d\\D\\s\\S\\W", "1a b/"));
  CHECK(matches("(?:a\\b.)+", "a/a/"));
  CHECK(matches("(?i)Conv\\d", "cONV2"));
  CHECK(matches("\\x41\\x{20ac}\\pL", "A\xe2\x82\xac\xc3\xb6"));
}

TEST_CASE("a dot is one character, however many bytes it takes") {
  CHECK(matches("x.y", "x\xe2\x82\xacy"));
  CHECK(matches("[\xc3\xa4-\xc3\xbc]", "\xc3\xb6"));
  CHECK(!matches("x.y", "x\xffy"));  // not UTF-8, so not a character
}

TEST_CASE("no pattern hangs, no name overflows the stack and no pattern takes much memory") {
  const std::string name(200000, 'a');
  CHECK(matches(".*", name));
  CHECK(matches("(a|aa)*", name));
  CHECK(matches("(a*)*", name));
  CHECK(!matches("(a*)*b", name));
  CHECK(!matches("(a+)+b", name));
  for (const std::string& pattern :
       {std::string(1000, '('), std::string("(((a{900}){900}){900})"), std::string(10001, 'a'),
        std::string("((((((){900}){900}){900}){900}){900})"), std::string("\\pL{1000}")})
    CHECK_THROWS_AS(NamePattern{pattern}, Error);
}

TEST_CASE("what is not supported or broken is said with its place") {
  const auto error = [](const std::string& pattern) {
    return error_of([&] { NamePattern{pattern}; });
  };
  CHECK(error("a(?=b)") ==
        "pattern \"a(?=b)\": invalid perl operator at \"(?=\", expected a regular expression in "
        "RE2's syntax");
  const auto said = [&](const std::string& pattern, const std::string& part) {
    CAPTURE(error(pattern));
    return error(pattern).find("\": " + part + ", expected") != std::string::npos;
  };
  CHECK(said("(a)\\1", "invalid escape sequence at \"\\1\""));
  CHECK(said("\\u0041", "invalid escape sequence at \"\\u\""));
  CHECK(said("(?<!a)b", "invalid perl operator at \"(?<\""));
  CHECK(said("x|*a", "no argument for repetition operator at \"*\""));
  CHECK(said("[]", "missing ] at \"[]\""));
  CHECK(said("[b-a]", "invalid character class range at \"b-a\""));
  CHECK(said("a)", "unexpected ) at \"a)\""));
  CHECK(said("a\\", "trailing \\"));
  CHECK(said("a{2,1}", "invalid repetition size at \"{2,1}\""));
  CHECK(said("\xff", "invalid UTF-8"));
  CHECK(error(std::string(10001, 'a')).find("has 10001 bytes, expected at most 10000") !=
        std::string::npos);
}
