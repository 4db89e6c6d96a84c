#include "berth/base/nearest_word.h"

#include <doctest/doctest.h>

using namespace berth;

TEST_CASE("a slip of one or two letters finds the word meant") {
  const std::vector<std::string> verbs{"place", "compare", "simulate"};
  CHECK(similar_word("plcae", verbs) == "place");  // two swapped letters are one slip
  CHECK(similar_word("simulat", verbs) == "simulate");
  CHECK(similar_word("compair", verbs) == "compare");
}

TEST_CASE("a word unlike all others finds nothing") {
  const std::vector<std::string> verbs{"place", "compare"};
  CHECK_FALSE(similar_word("doctor", verbs).has_value());
}

TEST_CASE("edit distance counts each kind of slip once") {
  CHECK(edit_distance("", "abc") == 3);
  CHECK(edit_distance("abc", "abc") == 0);
  CHECK(edit_distance("abc", "acb") == 1);
  CHECK(edit_distance("abc", "adc") == 1);
}
