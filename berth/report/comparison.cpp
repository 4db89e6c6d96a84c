#include "berth/report/comparison.h"

#include <map>

#include <fmt/format.h>

#include "berth/base/text.h"
#include "berth/report/summary.h"

namespace berth {
namespace {

std::map<std::string, Duration> best_per_input(std::span<const ComparisonRow> rows) {
  std::map<std::string, Duration> best;
  for (const ComparisonRow& row : rows) {
    if (!row.result.simulation) continue;
    const auto [at, added] = best.emplace(row.input, row.result.simulation->value);
    if (!added) at->second = std::min(at->second, row.result.simulation->value);
  }
  return best;
}

std::string number_or_nothing(const std::optional<double>& number) {
  return number ? fmt::format("{}", *number) : "";
}

std::string milliseconds_or_nothing(const std::optional<Duration>& time) {
  return time ? fmt::format("{}", in_milliseconds(*time)) : "";
}

}  // namespace

Table comparison_table(std::span<const ComparisonRow> rows) {
  const auto best = best_per_input(rows);
  const bool several_inputs = std::ranges::any_of(
      rows, [&](const ComparisonRow& row) { return row.input != rows[0].input; });
  const bool any_reason =
      std::ranges::any_of(rows, [](const ComparisonRow& row) { return !row.result.placement; });
  std::vector<Column> columns;
  if (several_inputs) columns.push_back("input");
  columns.insert(columns.end(), {"method", right("value ms"), right("x best"), right("bound ms"),
                                 right("gap"), right("seconds"), right("evaluations")});
  if (any_reason) columns.push_back("why not");

  Table table(columns);
  for (const ComparisonRow& row : rows) {
    const Result& result = row.result;
    std::vector<std::string> cells;
    if (several_inputs) cells.push_back(row.input);
    cells.push_back(result.spec.ends_with("()") ? result.method : result.spec);
    if (result.simulation) {
      const Duration value = result.simulation->value, least = best.at(row.input);
      cells.push_back(milliseconds_text(value));
      cells.push_back(least > Duration{0} ? fmt::format("{:.3f}", value / least) : "-");
    } else {
      cells.insert(cells.end(), {"-", "-"});
    }
    cells.push_back(milliseconds_text(result.lower_bound));
    cells.push_back(gap_text(result));
    cells.push_back(seconds_text(result.seconds));
    cells.push_back(count_text(result.evaluations));
    if (any_reason) cells.push_back(result.reason);
    table.add_row(std::move(cells));
  }
  return table;
}

std::string comparison_csv(std::span<const ComparisonRow> rows) {
  Table table({"input", "method", "spec", "feasible", "value_ms", "lower_bound_ms", "gap",
               "proven_optimal", "seconds", "evaluations", "seed", "reason", "contiguous"});
  for (const ComparisonRow& row : rows) {
    const Result& r = row.result;
    std::optional<Duration> value;
    if (r.simulation) value = r.simulation->value;
    table.add_row({row.input, r.method, r.spec, r.placement ? "true" : "false",
                   milliseconds_or_nothing(value), milliseconds_or_nothing(r.lower_bound),
                   number_or_nothing(r.gap()), r.proven_optimal ? "true" : "false",
                   fmt::format("{}", r.seconds), fmt::format("{}", r.evaluations),
                   fmt::format("{}", r.seed), r.reason, r.contiguous ? "true" : "false"});
  }
  return table.csv();
}

}  // namespace berth
