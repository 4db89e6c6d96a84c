// Links between the pages lead somewhere.

#include <filesystem>
#include <string>

#include <doctest/doctest.h>

#include "tests/docs/page.h"

using namespace berth;

namespace fs = std::filesystem;

TEST_CASE("every relative link in a page names a file that is there") {
  int links = 0;
  const auto check = [&](const fs::path& path) {
    for (const std::string& line : page::lines_of(path))
      for (const std::string& link : page::between(line, "](", ")")) {
        if (link.find(':') != std::string::npos || link.starts_with("#")) continue;  // elsewhere
        const fs::path target = path.parent_path() / link.substr(0, link.find('#'));
        CHECK_MESSAGE(fs::exists(target), path.string(), " links to ", target.string());
        ++links;
      }
  };
  for (const char* folder : {".", "docs", "berth", "examples"})
    for (const fs::directory_entry& entry : fs::directory_iterator(folder))
      if (entry.path().extension() == ".md") check(entry.path());
  CHECK(links > 10);
}
