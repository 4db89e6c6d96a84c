#include "berth/base/text.h"

#include <doctest/doctest.h>

using namespace berth;

TEST_CASE("times are in milliseconds, with three decimals or four digits") {
  CHECK(time_text(milliseconds(107.0041)) == "107.004 ms");
  CHECK(time_text(milliseconds(28)) == "28.000 ms");
  CHECK(milliseconds_text(milliseconds(0.0354123)) == "0.03541");
  CHECK(milliseconds_text(milliseconds(0)) == "0");
  CHECK(milliseconds_text(milliseconds(2.5e-9)) == "2.50e-09");
  CHECK(milliseconds_text(kForever) == "inf");
}

TEST_CASE("sizes take the largest binary unit that leaves a whole part") {
  CHECK(bytes_text(Bytes{0}) == "0 B");
  CHECK(bytes_text(Bytes{1023}) == "1023 B");
  CHECK(bytes_text(Bytes{1536}) == "1.50 KiB");
  CHECK(bytes_text(Bytes{16LL << 30}) == "16.0 GiB");
  CHECK(bytes_text(Bytes{(1LL << 30) - 1}) == "1.00 GiB");  // not 1024.0 MiB
  CHECK(bytes_text(Bytes{-2048}) == "-2.00 KiB");
}

TEST_CASE("counts are read in groups of three, and nouns agree with them") {
  CHECK(count_text(0) == "0");
  CHECK(count_text(999) == "999");
  CHECK(count_text(1234567) == "1 234 567");
  CHECK(plural(1, "node") == "1 node");
  CHECK(plural(0, "node") == "0 nodes");
}

TEST_CASE("a long name loses its middle and never half a character") {
  CHECK(shortened("block1/conv", 20) == "block1/conv");
  CHECK(shortened("abcdefghij", 7) == "ab...ij");
  // Four characters of two bytes each, cut to three columns.
  CHECK(shortened("\xC3\xA4\xC3\xB6\xC3\xBC\xC3\x9F", 3) == "\xC3\xA4\xC3\xB6\xC3\xBC");
  CHECK(text_width("\xC3\xA4\xC3\xB6") == 2);
}
