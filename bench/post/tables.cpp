#include "bench/post/tables.h"

#include <algorithm>
#include <cmath>
#include <set>

#include <fmt/format.h>

#include "berth/base/median_interval.h"
#include "berth/base/text.h"

namespace berth::bench {
namespace {

// Values closer than this are level: the last digit that is printed.
constexpr double kLevel = 0.0005;

void print_row(const std::vector<std::string>& cells) {
  fmt::print("| {} |\n", fmt::join(cells, " | "));
}
void print_head(const std::vector<std::string>& cells) {
  print_row(cells);
  fmt::print("|{}\n", fmt::join(std::vector<std::string>(cells.size(), "---|"), ""));
}

RunKey key_of(const std::string& spec, bool seeded, const PostTask& task, const Study& study,
              int seed) {
  return {task.name(), spec, study.limit, static_cast<std::uint64_t>(seeded ? seed : 1)};
}

// The runs of one competitor on one task that are there, by seed: of several specs the best.
struct Cell {
  std::vector<double> ms;        // empty: nothing fits, or nothing was run
  std::vector<double> distinct;  // of methods that tell
  bool complete = true;          // no run is missing

  std::optional<double> median() const {
    return ms.empty() ? std::nullopt : std::optional(median_interval(ms).median);
  }
};

Cell cell_of(const Runs& runs, const Competitor& competitor, const PostTask& task,
             const Study& study) {
  Cell cell;
  for (int seed = 1; seed <= (competitor.seeded ? study.seeds : 1); ++seed) {
    std::optional<double> best;
    for (const std::string& spec : competitor.specs) {
      const Run* run = runs.find(key_of(spec, competitor.seeded, task, study, seed));
      cell.complete = cell.complete && run != nullptr;
      if (run == nullptr) continue;
      if (run->ms && (!best || *run->ms < *best)) best = run->ms;
      if (run->distinct) cell.distinct.push_back(static_cast<double>(*run->distinct));
    }
    if (best) cell.ms.push_back(*best);
  }
  return cell;
}

std::string text_of(const Cell& cell) {
  const std::optional<double> median = cell.median();
  if (!median) return cell.complete ? "none fits" : "";
  return fmt::format("{:.3f}{}", *median, cell.complete ? "" : " (incomplete)");
}

std::string change_text(std::optional<double> ours, std::optional<double> theirs) {
  return ours && theirs ? fmt::format("{:+.1f} %", 100 * (*ours / *theirs - 1)) : "";
}

// The largest bound that any run of the task knows.
std::string bound_text(const Runs& runs, const Comparison& comparison, const PostTask& task,
                       const Study& study) {
  std::optional<double> bound;
  for (const RunKey& key : runs_of(comparison.columns, task, study))
    if (const Run* run = runs.find(key); run != nullptr && run->bound_ms)
      bound = std::max(bound.value_or(0), *run->bound_ms);
  return bound ? fmt::format("{:.3f}", *bound) : "";
}

// How the first column stands against one other, over the tasks for which both have all runs.
struct Standing {
  int ahead = 0, level = 0, behind = 0;
  double worst = 0;  // largest loss, as a ratio less one
  double best = 0;   // largest reduction, likewise
  double sum = 0;    // of the logarithms of the ratios

  void add(double ours, double theirs) {
    const double change = ours / theirs - 1;
    (std::abs(change) < kLevel ? level : change < 0 ? ahead : behind) += 1;
    worst = std::max(worst, change);
    best = std::max(best, -change);
    sum += std::log(ours / theirs);
  }
  std::string text(const std::string& first, const std::string& other) const {
    const int tasks = ahead + level + behind;
    if (tasks == 0) return fmt::format("- {} against {}: no task has both", first, other);
    return fmt::format(
        "- {} against {}: ahead on {} of {}, level on {}, behind on {}; largest reduction "
        "{:.1f} %, largest loss {:.1f} %, mean ratio {:.3f}",
        first, other, ahead, tasks, level, behind, 100 * best, 100 * worst, std::exp(sum / tasks));
  }
};

void print_commits(const Runs& runs, const std::vector<Competitor>& competitors,
                   const Study& study) {
  std::set<std::string> commits;
  for (const PostTask& task : study.tasks)
    for (const RunKey& key : runs_of(competitors, task, study))
      if (const Run* run = runs.find(key)) commits.insert(run->commit);
  fmt::print("Commit {}. ", fmt::join(commits, ", "));
}

}  // namespace

std::vector<RunKey> runs_of(const std::vector<Competitor>& competitors, const PostTask& task,
                            const Study& study) {
  std::vector<RunKey> keys;
  for (int seed = 1; seed <= study.seeds; ++seed)
    for (const Competitor& competitor : competitors)
      if (competitor.seeded || seed == 1)
        for (const std::string& spec : competitor.specs)
          keys.push_back(key_of(spec, competitor.seeded, task, study, seed));
  return keys;
}

void print_comparison(const Runs& runs, const Comparison& comparison, const Study& study) {
  const Competitor& first = comparison.columns.front();
  fmt::print("\n**{}, {} evaluations.** ", comparison.title, count_text(study.limit));
  print_commits(runs, comparison.columns, study);
  fmt::print("ms per step, medians of seeds 1 to {}; in brackets what {} changes\n\n", study.seeds,
             first.name);
  std::vector<std::string> head{"task"};
  for (const Competitor& column : comparison.columns) head.push_back(column.name);
  head.insert(head.end(), {"bound", fmt::format("distinct of {}", first.name)});
  print_head(head);
  std::vector<Standing> standings(comparison.columns.size());
  for (const PostTask& task : study.tasks) {
    const Cell ours = cell_of(runs, first, task, study);
    std::vector<std::string> cells{task.name(), text_of(ours)};
    for (std::size_t i = 1; i < comparison.columns.size(); ++i) {
      const Cell theirs = cell_of(runs, comparison.columns[i], task, study);
      const std::string change = change_text(ours.median(), theirs.median());
      cells.push_back(text_of(theirs) + (change.empty() ? "" : fmt::format(" ({})", change)));
      if (!change.empty() && ours.complete && theirs.complete)
        standings[i].add(*ours.median(), *theirs.median());
    }
    cells.push_back(bound_text(runs, comparison, task, study));
    cells.push_back(ours.distinct.empty() ? ""
                                          : count_text(static_cast<std::uint64_t>(
                                                median_interval(ours.distinct).median)));
    print_row(cells);
  }
  fmt::print("\n");
  for (std::size_t i = 1; i < comparison.columns.size(); ++i)
    fmt::print("{}\n", standings[i].text(first.name, comparison.columns[i].name));
}

void print_ablation(const Runs& runs, const std::vector<Competitor>& rows, const Study& study) {
  fmt::print("\n**Ablation, {} evaluations.** ", count_text(study.limit));
  print_commits(runs, rows, study);
  fmt::print("ms per step, medians of seeds 1 to {}; the mean ratio is to the first row\n\n",
             study.seeds);
  std::vector<std::string> head{"method"};
  for (const PostTask& task : study.tasks) head.push_back(task.name());
  head.emplace_back("mean ratio");
  print_head(head);
  for (const Competitor& row : rows) {
    std::vector<std::string> cells{row.name};
    double sum = 0;
    int count = 0;
    for (const PostTask& task : study.tasks) {
      const Cell cell = cell_of(runs, row, task, study);
      const std::optional<double> first = cell_of(runs, rows.front(), task, study).median();
      cells.push_back(text_of(cell));
      if (!cell.median() || !first) continue;
      sum += std::log(*cell.median() / *first);
      ++count;
    }
    cells.push_back(count > 0 ? fmt::format("{:.3f}", std::exp(sum / count)) : "");
    print_row(cells);
  }
}

}  // namespace berth::bench
