#include "berth/report/run_report.h"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

using namespace berth;

namespace {

Estimate about(double milliseconds_median, double width) {
  return {.median = milliseconds(milliseconds_median),
          .low = milliseconds(milliseconds_median - width),
          .high = milliseconds(milliseconds_median + width),
          .samples = 12};
}

// The placement clearly beats both devices in latency and may or may not in throughput.
RunComparison three_rows() {
  RunComparison runs;
  runs.devices = {{.name = "CPU0", .description = "a core"}, {.name = "CPU1"}};
  runs.pieces_on = {2, 1};
  runs.rows = {{.name = "placement", .times = {about(10, 1), about(8, 2)}, .pieces = 3},
               {.name = "CPU0", .times = {about(20, 1), about(9, 2)}, .pieces = 1},
               {.name = "CPU1", .times = {about(25, 1), about(30, 2)}, .pieces = 1},
               {.name = "HETERO, same placement", .refused = "it cannot"}};
  runs.rows[0].predicted = Prediction{milliseconds(9), milliseconds(10)};
  runs.rows[0].output_error = 2e-5;
  runs.allowed_error = 1e-4;
  return runs;
}

}  // namespace

TEST_CASE("each way to run has its row, and what did not run has dashes") {
  CHECK(runs_text(three_rows()) ==
        "run as                       latency ms     predicted    ms per sample      predicted  "
        "samples/s  output error\n"
        "placement               10.000 +- 1.000  9.000 (-10%)   8.000 +- 2.000  10.000 (+25%)  "
        "   125.00       2.0e-05\n"
        "CPU0                    20.000 +- 1.000             -   9.000 +- 2.000              -  "
        "   111.11             -\n"
        "CPU1                    25.000 +- 1.000             -  30.000 +- 2.000              -  "
        "    33.33             -\n"
        "HETERO, same placement                -             -                -              -  "
        "        -             -\n");
}

TEST_CASE("the verdict names the best alternative, and says when the difference may be chance") {
  RunComparison runs = three_rows();
  CHECK(verdict_text(runs) ==
        "latency: the placement is 2.00x as fast as the best alternative, CPU0\n"
        "throughput: no clear difference between the placement and CPU0 (1.12x)\n");
  runs.rows[0].times.latency = about(50, 1);
  CHECK(verdict_text(runs).starts_with("latency: CPU0 is best, 2.50x as fast as the placement\n"));
  runs.rows.resize(1);
  CHECK(verdict_text(runs).empty());
}

TEST_CASE("as JSON everything is there, null where nothing is known") {
  const auto json = nlohmann::json::parse(write_runs(three_rows(), "net.onnx", "p.json"));
  CHECK(json["kind"] == "run");
  CHECK(json["passed"] == true);
  CHECK(json["devices"][0]["description"] == "a core");
  CHECK(json["rows"][0]["latency"]["median_ms"] == doctest::Approx(10));
  CHECK(json["rows"][0]["predicted_period_ms"] == doctest::Approx(10));
  CHECK(json["rows"][1]["predicted_latency_ms"].is_null());
  CHECK(json["rows"][3]["latency"].is_null());
  CHECK(json["rows"][3]["pieces"].is_null());
  CHECK(json["rows"][3]["refused"] == "it cannot");
}
