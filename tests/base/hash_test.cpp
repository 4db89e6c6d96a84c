#include "berth/base/hash.h"

#include <doctest/doctest.h>

using namespace berth;

TEST_CASE("FNV-1a of the published test vectors") {
  // Noll's list of vectors for the hash of 64 bits.
  CHECK(hash_of("") == 0xcbf29ce484222325ULL);
  CHECK(hash_of("a") == 0xaf63dc4c8601ec8cULL);
  CHECK(hash_of("foobar") == 0x85944171f73967e8ULL);
}

TEST_CASE("text in parts has the hash of the whole") {
  CHECK(hash_of("bar", hash_of("foo")) == hash_of("foobar"));
  CHECK(hash_of("", hash_of("foobar")) == hash_of("foobar"));
}
