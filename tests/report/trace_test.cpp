#include "berth/report/trace.h"

#include <algorithm>
#include <map>
#include <set>
#include <vector>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "berth/sim/evaluate.h"
#include "tests/support/sketch.h"

using namespace berth;
using nlohmann::json;

namespace {

std::vector<json> events(const std::string& trace, const std::string& phase) {
  std::vector<json> result;
  const json document = json::parse(trace);
  for (const json& event : document["traceEvents"])
    if (event["ph"] == phase) result.push_back(event);
  return result;
}

std::map<std::pair<int, long>, std::string> thread_names(const std::string& trace) {
  std::map<std::pair<int, long>, std::string> names;
  for (const json& event : events(trace, "M"))
    if (event["name"] == "thread_name") names[{event["pid"], event["tid"]}] = event["args"]["name"];
  return names;
}

void check_no_overlap_within_a_thread(const std::string& trace) {
  std::map<std::pair<int, long>, std::vector<std::pair<double, double>>> slices;
  for (const json& slice : events(trace, "X"))
    slices[{slice["pid"], slice["tid"]}].push_back({slice["ts"], slice["dur"]});
  for (auto& [thread, list] : slices) {
    std::sort(list.begin(), list.end());
    for (std::size_t i = 1; i < list.size(); ++i)
      CHECK(list[i - 1].first + list[i - 1].second <= list[i].first + 1e-3);
  }
}

}  // namespace

TEST_CASE("runs are on their device's thread, moves on their channel's, and an arrow joins them") {
  Sketch sketch("chain", 2);
  const NodeId a = sketch.node("a \"quoted\"", {2, 2}), b = sketch.node("b", {4, 4});
  sketch.tensor(a, 3, {b});
  const Problem problem = sketch.build();
  const std::string trace = write_trace(problem, simulate(problem, placed({0, 1})).schedule);

  const auto names = thread_names(trace);
  const auto slices = events(trace, "X");
  REQUIRE(slices.size() == 3);  // a on d0 from 0 to 2, its move from 2 to 5, b on d1 from 5 to 9
  const auto thread = [&](const json& event) { return names.at({event["pid"], event["tid"]}); };
  CHECK(slices[0]["name"] == "a \"quoted\"");
  CHECK(thread(slices[0]) == "d0");
  CHECK(thread(slices[1]) == "d1");
  CHECK(slices[1]["ts"] == 5);
  CHECK(slices[1]["dur"] == 4);
  CHECK(slices[2]["ts"] == 2);
  CHECK(slices[2]["args"]["bytes"] == 3);
  CHECK(slices[2]["pid"] != slices[0]["pid"]);

  REQUIRE(events(trace, "s").size() == 1);
  CHECK(thread(events(trace, "s")[0]) == "d0");
  CHECK(events(trace, "t").size() == 1);
  REQUIRE(events(trace, "f").size() == 1);
  CHECK(thread(events(trace, "f")[0]) == "d1");
  CHECK(events(trace, "f")[0]["ts"] == 5);
}

TEST_CASE("moves that overlap on an uncontended link get threads of their own") {
  Sketch sketch("burst", 2);
  sketch.cluster.set_uncontended();
  const NodeId a = sketch.node("a", {2, 2}), b = sketch.node("b", {4, 4});
  sketch.tensor(a, 3, {b});
  sketch.tensor(a, 5, {b});  // both leave when a ends
  const Problem problem = sketch.build();
  const std::string trace = write_trace(problem, simulate(problem, placed({0, 1})).schedule);
  std::set<std::string> names;
  for (const auto& [thread, name] : thread_names(trace)) names.insert(name);
  CHECK(names == std::set<std::string>{"d0", "d1", "d0 -> d1", "d0 -> d1 (2)"});
  check_no_overlap_within_a_thread(trace);
}
