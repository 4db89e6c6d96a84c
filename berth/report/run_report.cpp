#include "berth/report/run_report.h"

#include <algorithm>

#include <fmt/format.h>

#include "berth/base/text.h"
#include "berth/io/json_writer.h"
#include "berth/modules/build_info.h"
#include "berth/report/table.h"

namespace berth {
namespace {

// "12.3 +- 0.4", by the wider side of the interval.
std::string estimate_text(const Estimate& estimate) {
  if (estimate.samples == 0) return "-";
  const Duration width = std::max(estimate.high - estimate.median, estimate.median - estimate.low);
  return fmt::format("{} +- {}", milliseconds_text(estimate.median), milliseconds_text(width));
}

std::string predicted_text(const RunRow& row, Duration Prediction::*value,
                           const Estimate& measured) {
  if (!row.predicted) return "-";
  const Duration predicted = *row.predicted.*value;
  return fmt::format("{} ({:+.0f}%)", milliseconds_text(predicted),
                     100 * (predicted / measured.median - 1));
}

std::string verdict(const std::vector<RunRow>& rows, const char* what,
                    Estimate RaceTime::*measured) {
  const RunRow* best_other = nullptr;
  for (const RunRow& row : std::span(rows).subspan(1))
    if ((row.times.*measured).samples > 0 &&
        (best_other == nullptr ||
         (row.times.*measured).median < (best_other->times.*measured).median))
      best_other = &row;
  if (best_other == nullptr) return "";
  const Estimate &own = rows.front().times.*measured, &other = best_other->times.*measured;
  const double ratio = other.median / own.median;
  if (own.clearly_below(other))
    return fmt::format("{}: the placement is {:.2f}x as fast as the best alternative, {}\n", what,
                       ratio, best_other->name);
  if (other.clearly_below(own))
    return fmt::format("{}: {} is best, {:.2f}x as fast as the placement\n", what, best_other->name,
                       1 / ratio);
  return fmt::format("{}: no clear difference between the placement and {} ({:.2f}x)\n", what,
                     best_other->name, ratio);
}

void write_estimate(JsonWriter& json, const std::string& name, const Estimate& estimate) {
  if (estimate.samples == 0) return json.member(name, std::nullopt);
  json.object(name, [&] {
    json.milliseconds("median_ms", estimate.median);
    json.milliseconds("low_ms", estimate.low);
    json.milliseconds("high_ms", estimate.high);
    json.member("samples", estimate.samples);
  });
}

void write_row(JsonWriter& json, const RunRow& row) {
  const auto predicted = [&](Duration Prediction::*value) {
    return row.predicted ? std::optional(*row.predicted.*value) : std::nullopt;
  };
  json.member("name", row.name);
  write_estimate(json, "latency", row.times.latency);
  json.milliseconds("predicted_latency_ms", predicted(&Prediction::latency));
  write_estimate(json, "period", row.times.period);
  json.milliseconds("predicted_period_ms", predicted(&Prediction::period));
  json.member("output_error", row.output_error);
  json.member("pieces", row.pieces);
  json.member("refused", row.refused);
}

}  // namespace

std::string runs_text(const RunComparison& runs) {
  Table table({"run as", right("latency ms"), right("predicted"), right("ms per sample"),
               right("predicted"), right("samples/s"), right("output error")});
  for (const RunRow& row : runs.rows) {
    const bool ran = row.times.period.samples > 0;
    table.add_row({row.name, estimate_text(row.times.latency),
                   predicted_text(row, &Prediction::latency, row.times.latency),
                   estimate_text(row.times.period),
                   predicted_text(row, &Prediction::period, row.times.period),
                   ran ? fmt::format("{:.2f}", 1 / in_seconds(row.times.period.median)) : "-",
                   row.output_error ? fmt::format("{:.1e}", *row.output_error) : "-"});
  }
  return table.text();
}

std::string verdict_text(const RunComparison& runs) {
  return verdict(runs.rows, "latency", &RaceTime::latency) +
         verdict(runs.rows, "throughput", &RaceTime::period);
}

std::string write_runs(const RunComparison& runs, const std::string& input,
                       const std::string& placement) {
  return json_object([&](JsonWriter& json) {
    json.member("berth", version());
    json.member("kind", "run");
    json.member("input", input);
    json.member("placement", placement);
    json.member("checked", runs.checked);
    json.member("passed", runs.passed());
    json.line(1).array("devices", [&] {
      for (const RealDevice& device : runs.devices)
        json.object([&] {
          json.member("name", device.name);
          json.member("description", device.description);
        });
    });
    json.line(1).objects("rows", runs.rows, 2, [&](const RunRow& row) { write_row(json, row); });
    json.line(1).member("warnings", runs.warnings);
  });
}

}  // namespace berth
