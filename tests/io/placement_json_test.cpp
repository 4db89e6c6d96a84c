#include "berth/io/placement_json.h"

#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "berth/io/read_problem.h"
#include "berth/place/run_placer.h"
#include "berth/report/result_json.h"
#include "tests/io/error_text.h"
#include "tests/support/fixtures.h"

using namespace berth;

namespace {

// Two accelerators and a CPU; nodes a (7), b (8, with a), c (9).
Problem problem() {
  return parse_problem(R"({"maxSizePerFPGA": 100, "maxFPGAs": 2, "maxCPUs": 1, "nodes": [
    {"id": 7, "name": "a", "cpuLatency": 10, "fpgaLatency": 1, "colorClass": 3},
    {"id": 8, "name": "b", "cpuLatency": 20, "fpgaLatency": 2, "colorClass": 3, "isBackwardNode": 1},
    {"id": 9, "name": "c", "cpuLatency": 30, "fpgaLatency": 3}],
    "edges": [{"sourceId": 7, "destId": 9, "cost": 1}]})",
                       "p.json");
}

std::vector<DeviceId> devices_in(const std::string& text) {
  return parse_placement(text, "x.json", problem()).device_of.items();
}

std::string error_in(const std::string& text) {
  return error_of([&] { parse_placement(text, "x.json", problem()); });
}

const DeviceId acc0{0}, acc1{1}, cpu0{2};

}  // namespace

TEST_CASE("all three forms of a placement read to the same devices") {
  const std::vector<DeviceId> expected{acc1, acc1, cpu0};
  CHECK(devices_in(R"({"a": "acc1", "b": "acc1", "c": "cpu0"})") == expected);
  CHECK(devices_in(R"({"7": "acc1", "8": "acc1", "c": "cpu0"})") == expected);
  CHECK(devices_in(R"({"berth": "0.1.0", "placement": {"a": "acc1", "b": "acc1", "c": "cpu0"}})") ==
        expected);
  CHECK(devices_in(R"({"cpus": [{"nodes": [9], "load": -1}],
                       "fpgas": [{"nodes": []}, {"nodes": [7, 8]}, {"nodes": []}], "maxLoad": 3})") ==
        expected);
}

TEST_CASE("a split that leaves out the backward pass is completed by colour") {
  CHECK(devices_in(R"({"fpgas": [{"nodes": [9]}, {"nodes": [7]}]})") ==
        std::vector<DeviceId>{acc1, acc1, acc0});
}

TEST_CASE("an order reads by name") {
  const Placement placement = parse_placement(
      R"({"placement": {"a": "acc1", "b": "acc1", "c": "cpu0"}, "order": ["a", "c", "b"]})",
      "x.json", problem());
  CHECK(placement.order == std::vector<NodeId>{NodeId{0}, NodeId{2}, NodeId{1}});
}

TEST_CASE("what is missing, unknown or given twice is named") {
  CHECK(error_in(R"({"a": "acc1", "b": "acc1"})") ==
        "x.json: 1 of 3 nodes have no device, the first is \"c\", expected one for each");
  CHECK(error_in(R"({"d": "acc1"})") == "x.json: d: \"d\" is not a node of \"p\"");
  CHECK(error_in(R"({"a": "acc2"})") ==
        "x.json: a is the string \"acc2\", expected a device: acc0, acc1, cpu0");
  CHECK(error_in(R"({"a": "acc1", "7": "acc0"})") ==
        "x.json: 7: node \"a\" is given twice, expected one device per node");
  CHECK(error_in(R"({"fpgas": [{"nodes": [7]}, {"nodes": [9]}, {"nodes": [8]}]})") ==
        "x.json: fpgas[2]: is group 3 with nodes, but the problem has 2 accelerators");
  CHECK(error_in(R"({"fpgas": [{"nodes": [7, 70]}]})") ==
        "x.json: fpgas[0].nodes[1] is the number 70, expected the id of a node of \"p\"");
  CHECK(error_in(R"({"fpgas": [{"nodes": [7]}]})").find("the first is \"c\"") != std::string::npos);
  CHECK(error_in(R"({"placement": null})").find("the run that wrote this file found none") !=
        std::string::npos);
  CHECK(error_in(R"({"placement": {"a": "acc1", "b": "acc1", "c": "cpu0"}, "order": ["a"]})") ==
        "x.json: order: has 1 nodes, expected all 3 of the problem");
  CHECK(error_in(R"({"a": 1})") == "x.json: a is the number 1, expected a string");
}

TEST_CASE("what a result says, a placement reads") {
  for (const Problem& small : fixtures::small_problems()) {
    const Result result = run_placer("local-search", small);
    if (!result.placement) continue;
    CAPTURE(small.name());
    CHECK(parse_placement(write_result(result, small, "in"), "r.json", small) == *result.placement);
  }
}
