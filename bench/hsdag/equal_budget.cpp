#include "bench/hsdag/equal_budget.h"

#include <algorithm>
#include <cstdio>
#include <filesystem>

#include <fmt/format.h>

#include "bench/hsdag/trial.h"
#include "berth/base/text.h"
#include "berth/io/read_problem.h"

namespace berth::bench {
namespace {

std::string name_of(const std::string& file) { return std::filesystem::path(file).filename(); }

// "1.304 (1.292 to 1.327)" and, against the first of the row, "-1.2 %".
std::string against(const Estimate& value, const Estimate& first) {
  return fmt::format("{} ({} to {}) {:+.1f} %", milliseconds_text(value.median),
                     milliseconds_text(value.low), milliseconds_text(value.high),
                     100 * (value.median / first.median - 1));
}

void head(const std::vector<std::string>& columns) {
  fmt::print("\n| {} |\n|", fmt::join(columns, " | "));
  for (std::size_t i = 0; i < columns.size(); ++i) fmt::print("---|");
  fmt::print("\n");
}

void row(const std::vector<std::string>& cells) {
  fmt::print("| {} |\n", fmt::join(cells, " | "));
  std::fflush(stdout);
}

// Better or worse by more than rounding, in the median.
int compare(const Estimate& value, const Estimate& other) {
  if (value.median < other.median * (1 - 1e-4)) return -1;
  return value.median > other.median * (1 + 1e-4) ? 1 : 0;
}

struct Tally {
  int better = 0, equal = 0, worse = 0;
  void add(int comparison) { ++(comparison < 0 ? better : comparison > 0 ? worse : equal); }
  std::string text() const {
    return fmt::format("{} better, {} equal, {} worse", better, equal, worse);
  }
};

}  // namespace

void print_equal_evaluations(const std::vector<std::string>& files,
                             const std::vector<std::uint64_t>& budgets, int seeds) {
  const std::vector<std::string> specs{"anneal", "hsdag(refine=0)", "hsdag(refine=0,seeds=false)"};
  head({"problem", "evaluations", "`anneal`", "`hsdag(refine=0)`, own samples",
        "`hsdag(refine=0,seeds=false)`, own samples"});
  for (const std::uint64_t budget : budgets) {
    std::vector<Tally> tally(specs.size());
    for (const std::string& file : files) {
      const std::vector<Trial> trials =
          run_in_turn(specs, read_problem(file), seeds, {.seconds = {}, .evaluations = budget});
      const Estimate anneal = trials[0].value();
      std::vector<std::string> cells{name_of(file), count_text(budget), value_text(trials[0])};
      for (std::size_t i = 1; i < trials.size(); ++i) {
        // Nothing to learn where a seed is proven optimal.
        const std::optional<Estimate> own = trials[i].own();
        cells.push_back(own ? against(*own, anneal) : "a seed is proven optimal");
        tally[i].add(own ? compare(*own, anneal) : 0);
      }
      row(cells);
    }
    row({"all", count_text(budget), "", tally[1].text(), tally[2].text()});
  }
}

void print_equal_seconds(const std::vector<std::string>& files, double seconds, int seeds) {
  const std::vector<std::string> specs{"anneal", "hsdag", "post"};
  head({"problem", "`anneal`", "`hsdag`", "its own samples", "`post`"});
  std::vector<Tally> tally(specs.size());
  for (const std::string& file : files) {
    const std::vector<Trial> trials =
        run_in_turn(specs, read_problem(file), seeds, {.seconds = seconds, .evaluations = {}});
    const Estimate anneal = trials[0].value();
    const std::optional<Estimate> own = trials[1].own();
    row({name_of(file), value_text(trials[0]), against(trials[1].value(), anneal),
         own ? milliseconds_text(own->median) : "", against(trials[2].value(), anneal)});
    for (std::size_t i = 1; i < trials.size(); ++i)
      tally[i].add(compare(trials[i].value(), anneal));
  }
  row({"all", "", tally[1].text(), "", tally[2].text()});
}

}  // namespace berth::bench
