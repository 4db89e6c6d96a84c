// Links between the pages lead somewhere.

#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <string>

#include <doctest/doctest.h>

namespace fs = std::filesystem;

TEST_CASE("every relative link in a page names a file that is there") {
  int links = 0;
  const std::regex link("\\]\\(([^)#:]+)(#[^)]*)?\\)");  // no scheme, without the part after '#'
  const auto check = [&](const fs::path& page) {
    std::ifstream file(page);
    const std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
    for (std::sregex_iterator at(text.begin(), text.end(), link), end; at != end; ++at, ++links) {
      const fs::path target = page.parent_path() / (*at)[1].str();
      CHECK_MESSAGE(fs::exists(target), page.string(), " links to ", target.string());
    }
  };
  for (const char* folder : {".", "docs", "berth", "examples"})
    for (const fs::directory_entry& entry : fs::directory_iterator(folder))
      if (entry.path().extension() == ".md") check(entry.path());
  CHECK(links > 10);
}
