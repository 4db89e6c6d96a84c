#include <string>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>
#include <simdjson.h>

TEST_CASE("what nlohmann writes, simdjson reads") {
  const std::string text = nlohmann::json{{"nodes", {1, 2, 3}}, {"name", "path"}}.dump();

  simdjson::dom::parser parser;
  const simdjson::dom::element document = parser.parse(text);

  CHECK(document["nodes"].get_array().size() == 3);
  CHECK(document["name"].get_string().value() == "path");
}
