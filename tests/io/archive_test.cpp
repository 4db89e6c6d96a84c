#include "berth/io/archive.h"

#include <limits>
#include <string>

#include <doctest/doctest.h>

#include "berth/base/error.h"
#include "berth/io/files.h"
#include "tests/support/scratch.h"

namespace berth {
namespace {

Archive example() {
  using Limits = std::numeric_limits<double>;
  Archive archive;
  archive.numbers["exact"] = {0.1, -0.0, 1e300, Limits::infinity(), Limits::denorm_min(), 3};
  archive.numbers["none"] = {};
  archive.bytes["text"] = "hsdag(updates=3)";
  archive.bytes["weights"] = std::string("\0\xff\x80\n", 4);
  archive.parts["network"].bytes["weights"] = "other";
  archive.parts["network"].parts["layer"].numbers["width"] = {128};
  archive.parts["empty"];
  return archive;
}

TEST_CASE("an archive comes back as it was") {
  const Scratch scratch;
  const auto file = scratch.path() / "archive";
  for (const Archive& archive : {example(), Archive{}}) {
    write_archive(file, archive);
    CHECK(read_archive(file) == archive);
  }
}

TEST_CASE("any damage to an archive is found") {
  const Scratch scratch;
  const auto file = scratch.path() / "archive";
  write_archive(file, example());
  const std::string whole = read_text_file(file);
  const auto is_refused = [&](const std::string& text) {
    write_file_atomically(file, text);
    CHECK_THROWS_WITH_AS(read_archive(file),
                         doctest::Contains("not a checkpoint of berth, or damaged"), Error);
  };
  for (std::size_t i = 0; i < whole.size(); ++i) {
    std::string changed = whole;
    changed[i] = static_cast<char>(changed[i] ^ 4);
    is_refused(changed);
    is_refused(whole.substr(0, i));
  }
  is_refused(whole + "x");
  is_refused("{}");
}

}  // namespace
}  // namespace berth
