#include "berth/report/result_json.h"

#include <string>
#include <vector>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "berth/io/read_problem.h"

using namespace berth;

namespace {

Problem two_nodes() {
  return parse_problem(R"({"berth_problem": 1, "name": "two",
    "cluster": {"devices": [{"name": "cpu", "kind": "cpu"}, {"name": "gpu", "kind": "gpu"}]},
    "nodes": [{"name": "a", "us": 1000}, {"name": "b", "us": 500, "weights": 64}],
    "tensors": [["a", "b", 8]]})",
                       "two.json");
}

Result on_cpu_and_gpu(const Problem& problem) {
  Result result;
  result.method = "m";
  result.spec = "m()";
  result.placement = Placement{.device_of = {DeviceId{0}, DeviceId{1}}, .order = {}};
  result.simulation = simulate(problem, *result.placement);
  result.lower_bound = milliseconds(1);
  result.warnings = {"say \"so\""};
  result.seconds = 0.25;
  result.evaluations = 3;
  result.seed = 7;
  return result;
}

}  // namespace

TEST_CASE("the record has the fields of the contract, in milliseconds and bytes") {
  const Problem problem = two_nodes();
  const nlohmann::ordered_json json =
      nlohmann::ordered_json::parse(write_result(on_cpu_and_gpu(problem), problem, "dir/two.json"));
  std::vector<std::string> keys;
  for (const auto& [key, value] : json.items()) keys.push_back(key);
  const std::vector<std::string> contract{
      "berth",       "input",    "method",         "spec",    "objective",      "execution",
      "feasible",    "value_ms", "lower_bound_ms", "gap",     "proven_optimal", "seconds",
      "evaluations", "seed",     "devices",        "warnings"};
  REQUIRE(keys.size() > contract.size());
  CHECK(std::vector(keys.begin(), keys.begin() + static_cast<std::ptrdiff_t>(contract.size())) ==
        contract);
  CHECK(keys.back() == "placement");
  CHECK(json["berth"] == "0.1.0");
  CHECK(json["input"] == "dir/two.json");
  CHECK(json["objective"] == "latency");
  CHECK(json["execution"] == "concurrent");
  CHECK(json["feasible"] == true);
  CHECK(json["value_ms"] == 1.5);
  CHECK(json["lower_bound_ms"] == 1.0);
  CHECK(json["gap"].get<double>() == doctest::Approx(0.5));
  CHECK(json["proven_optimal"] == false);
  CHECK(json["seconds"] == 0.25);
  CHECK(json["evaluations"] == 3);
  CHECK(json["seed"] == 7);
  CHECK(json["devices"][1]["name"] == "gpu");
  CHECK(json["devices"][1]["load_ms"] == 0.5);
  CHECK(json["devices"][1]["peak_bytes"].get<int>() >= 64);
  CHECK(json["warnings"][0] == "say \"so\"");
  CHECK(json["crossings"] == 1);
  CHECK(json["placement"] == nlohmann::ordered_json({{"a", "cpu"}, {"b", "gpu"}}));
}

TEST_CASE("a run without a placement says so with nulls and a reason") {
  const Problem problem = two_nodes();
  Result result;
  result.reason = "nothing fits";
  const auto json = nlohmann::json::parse(write_result(result, problem, "in"));
  CHECK(json["feasible"] == false);
  CHECK(json["value_ms"].is_null());
  CHECK(json["lower_bound_ms"].is_null());
  CHECK(json["gap"].is_null());
  CHECK(json["reason"] == "nothing fits");
  CHECK(json["placement"].is_null());
  CHECK(json["devices"].size() == 2);
}

TEST_CASE("rows are the same records, without placements unless asked for") {
  const Problem problem = two_nodes();
  Result result = on_cpu_and_gpu(problem);
  result.placement->order = {NodeId{0}, NodeId{1}};
  const std::vector<ComparisonRow> rows{{"x", problem, result}, {"y", problem, result}};
  const auto bare = nlohmann::json::parse(write_rows(rows));
  REQUIRE(bare["rows"].size() == 2);
  CHECK(bare["rows"][1]["input"] == "y");
  CHECK(!bare["rows"][0].contains("placement"));
  const auto full = nlohmann::json::parse(write_rows(rows, true));
  CHECK(full["rows"][0]["placement"]["b"] == "gpu");
  CHECK(full["rows"][0]["order"] == nlohmann::json({"a", "b"}));
  CHECK(nlohmann::json::parse(write_rows({})) == nlohmann::json{{"rows", nlohmann::json::array()}});
}
