// docs/formats.md and the schemas say what the readers do.
#include <algorithm>
#include <string>
#include <vector>

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "berth/io/constraints_json.h"
#include "berth/io/devices_json.h"
#include "berth/io/files.h"
#include "berth/io/read_problem.h"
#include "tests/io/error_text.h"

using namespace berth;

namespace {

// The n-th block of JSON in docs/formats.md.
std::string example(std::size_t n) {
  const std::string page = read_text_file("docs/formats.md");
  std::size_t begin = 0;
  for (std::size_t i = 0; i <= n; ++i) {
    begin = page.find("```json\n", begin);
    REQUIRE(begin != std::string::npos);
    begin += 8;
  }
  return page.substr(begin, page.find("```", begin) - begin);
}

nlohmann::ordered_json schema(const std::string& name) {
  return nlohmann::ordered_json::parse(read_text_file("docs/" + name + ".schema.json"));
}

// "expected one of: a, b, c" as the schema lists it, in any order.
void check_fields(const nlohmann::ordered_json& object_schema, const std::string& error) {
  CAPTURE(error);
  const std::size_t at = error.find("expected one of: ");
  REQUIRE(at != std::string::npos);
  const std::string known = ", " + error.substr(at + 17) + ", ";
  std::size_t length = 2;
  for (const auto& [field, value] : object_schema["properties"].items()) {
    CHECK(known.find(", " + field + ", ") != std::string::npos);
    length += field.size() + 2;
  }
  CHECK(known.size() == length);  // none that the schema does not have
}

// The one of the model's schemas that has these two words.
nlohmann::ordered_json model_schema(const nlohmann::ordered_json& problem,
                                    const std::string& execution, const std::string& objective) {
  for (const auto& each : problem["$defs"]["model"]["anyOf"]) {
    const auto& words = each["properties"];
    const auto objectives = words["objective"].value("enum", std::vector<std::string>{});
    const bool has_objective =
        words["objective"].value("const", "") == objective ||
        std::find(objectives.begin(), objectives.end(), objective) != objectives.end();
    if (words["execution"]["const"] == execution && has_objective) return each;
  }
  FAIL("the schema has no " << execution << " with " << objective);
  return {};
}

std::string problem_error(const std::string& rest) {
  return error_of([&] {
    parse_problem(R"({"berth_problem": 1, "cluster": "k80x2", "nodes": [{"us": 1}], )" + rest + "}",
                  "f");
  });
}

Graph nodes_named(const std::vector<std::string>& names) {
  GraphBuilder builder;
  for (const std::string& name : names) builder.add_node({.name = name});
  return std::move(builder).build();
}

}  // namespace

TEST_CASE("the examples of the page read") {
  CHECK(parse_problem(example(0), "f").graph().edge_count() == 2);
  const Cluster cluster = parse_devices(example(1), "f");
  CHECK(cluster.device_count() == 5);
  const Graph graph = nodes_named({"layer1/a", "embed", "head", "block3/x", "expert0", "expert1"});
  CHECK(parse_constraints(example(2), "f", graph, cluster).pin.size() == 1);
}

TEST_CASE("the schemas list the fields that the readers know") {
  const nlohmann::ordered_json problem = schema("problem");
  check_fields(problem, problem_error(R"("?": 1)"));
  for (const NamedExecution& named : named_executions()) {
    const std::string execution = named.words.execution;
    const std::string objective = to_string(named.words.objective);
    check_fields(
        model_schema(problem, execution, objective),
        problem_error(fmt::format(R"("model": {{"execution": "{}", "objective": "{}", "?": 1}})",
                                  execution, objective)));
  }
  check_fields(problem["$defs"]["tensor"], problem_error(R"("tensors": [{"from": 0, "?": 1}])"));
  check_fields(problem["$defs"]["node"], error_of([] {
                 parse_problem(R"({"berth_problem": 1, "cluster": "k80x2", "nodes": [{"?": 1}]})",
                               "f");
               }));

  const nlohmann::ordered_json devices = schema("devices");
  const auto devices_error = [](const std::string& rest) {
    return error_of([&] {
      parse_devices(R"({"devices": [{"name": "a"}, {"name": "b"}], )" + rest + "}", "f");
    });
  };
  check_fields(devices, devices_error(R"("?": 1)"));
  check_fields(devices["properties"]["default_link"], devices_error(R"("default_link": {"?": 1})"));
  check_fields(devices["properties"]["link_matrix"], devices_error(R"("link_matrix": {"?": 1})"));
  check_fields(devices["$defs"]["link"],
               devices_error(R"("links": [{"from": "a", "to": "b", "?": 1}])"));
  check_fields(devices["$defs"]["device"],
               error_of([] { parse_devices(R"({"devices": [{"name": "a", "?": 1}]})", "f"); }));

  const nlohmann::ordered_json constraints = schema("constraints");
  const auto constraints_error = [](const std::string& text) {
    return error_of(
        [&] { parse_constraints(text, "f", nodes_named({"a"}), Cluster({{.name = "d"}})); });
  };
  check_fields(constraints, constraints_error(R"({"?": 1})"));
  check_fields(constraints["$defs"]["rule"],
               constraints_error(R"({"pin": [{"nodes": "a", "device": "d", "?": 1}]})"));
}

TEST_CASE("the limits on the page are those of the schemas") {
  const nlohmann::ordered_json problem = schema("problem");
  const auto over = [](const std::string& node) {
    return error_of([&] {
      parse_problem(R"({"berth_problem": 1, "cluster": "k80x2", "nodes": [)" + node + "]}", "f");
    });
  };
  const double time = problem["$defs"]["time"]["maximum"],
               bytes = problem["$defs"]["bytes"]["maximum"];
  CHECK(over(fmt::format(R"({{"us": {}}})", time)) == "no error");
  CHECK(over(fmt::format(R"({{"us": {}}})", time * 1.01)) != "no error");
  CHECK(over(fmt::format(R"({{"us": 1, "weights": {}}})", bytes)) == "no error");
  CHECK(over(fmt::format(R"({{"us": 1, "weights": {}}})", bytes * 1.01)) != "no error");
}
