// The audit: random problems of every kind, every method on each, all claims against all.
//
//   berth_audit [--problems N] [--first NUMBER] [--kind NAME]... [--threads N] [--keep FOLDER]
//               [--evaluations N] [--enumerations N] [--slow SECONDS]
//
// Problem NUMBER is of kind NUMBER modulo the kinds asked for, so that one number names one
// problem. What goes wrong is shrunk and written to the folder as a problem file, with the sentence
// that says what is wrong beside it. The last line counts problems, claims and contradictions.

#include <chrono>
#include <cstdio>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "berth/base/parallel.h"
#include "berth/io/files.h"
#include "berth/io/problem_json.h"
#include "tests/audit/judge.h"
#include "tests/audit/kinds.h"
#include "tests/audit/shrink.h"

namespace berth::audit {
namespace {

struct Options {
  std::uint64_t problems = 2000, first = 1;
  std::vector<std::string> kinds;
  int threads = 0;
  std::string keep;
  double slow = 0;
  JudgeOptions judge;
};

// What all threads add to.
struct Totals {
  std::mutex mutex;
  std::map<std::string, std::uint64_t> problems, wrong, overrun;
  std::uint64_t values = 0, claims = 0, proofs = 0, enumerated = 0, findings = 0;
};

bool has_rule(const Verdict& verdict, const std::string& rule) {
  for (const Finding& finding : verdict.findings)
    if (finding.rule == rule) return true;
  return false;
}

void keep_smallest(const Options& options, const Problem& problem, const std::string& name,
                   std::uint64_t number, const Finding& finding) {
  const std::vector<std::string> specs = specs_for(problem, number);
  const Problem small = shrink(problem, [&](const Problem& candidate) {
    return has_rule(audit(candidate, specs, options.judge), finding.rule);
  });
  const Verdict verdict = audit(small, specs, options.judge);
  std::string what;
  for (const Finding& each : verdict.findings)
    what += fmt::format("{}: {}\n", each.rule, each.what);
  const std::string path = fmt::format("{}/{}-{}-{}", options.keep, name, number, finding.rule);
  write_file_atomically(path + ".json", write_problem(small));
  write_file_atomically(path + ".txt", what);
}

void run_one(const Options& options, std::uint64_t number, Totals& totals) {
  const Kind& kind = options.kinds.empty()
                         ? kinds()[number % kinds().size()]
                         : find_kind(options.kinds[number % options.kinds.size()]);
  const Problem problem = draw(kind, number);
  Verdict verdict;
  const std::vector<Statement> statements =
      ask(problem, specs_for(problem, number), options.judge, verdict);
  for (const Statement& statement : statements)
    if (options.slow > 0 && statement.result.seconds > options.slow)
      fmt::print("{} {}: {} took {:.1f} s\n", kind.name, number, statement.spec,
                 statement.result.seconds);
  judge(problem, statements, options.judge, verdict);
  {
    const std::lock_guard lock(totals.mutex);
    ++totals.problems[kind.name];
    totals.values += verdict.values;
    totals.claims += verdict.claims;
    totals.proofs += verdict.proofs;
    totals.enumerated += verdict.enumerated;
    for (const auto& [method, most] : verdict.overrun)
      totals.overrun[method] = std::max(totals.overrun[method], most);
    if (verdict.findings.empty()) return;
    totals.findings += verdict.findings.size();
    ++totals.wrong[kind.name];
    fmt::print("{} {} ({} nodes, {} units, {} devices):\n", kind.name, number, problem.node_count(),
               problem.unit_count(), problem.device_count());
    for (const Finding& finding : verdict.findings)
      fmt::print("  {}: {}\n", finding.rule, finding.what);
    std::fflush(stdout);
  }
  if (!options.keep.empty())
    keep_smallest(options, problem, kind.name, number, verdict.findings.front());
}

int run(const Options& options) {
  for (const std::string& name : options.kinds) find_kind(name);
  const auto begin = std::chrono::steady_clock::now();
  Totals totals;
  const std::uint64_t end = options.first + options.problems;
  for_each_item(options.problems, thread_count(options.threads), [&]() -> ItemWorker {
    return [&](std::size_t item) { run_one(options, options.first + item, totals); };
  });
  std::uint64_t wrong = 0;
  for (const auto& [kind, count] : totals.wrong) wrong += count;
  for (const auto& [kind, count] : totals.problems)
    fmt::print("{:>8} {}, {} wrong\n", count, kind, totals.wrong[kind]);
  for (const auto& [method, most] : totals.overrun)
    if (most > 0) fmt::print("{}: up to {} evaluations above the limit\n", method, most);
  fmt::print(
      "audit: {} problems (numbers {} to {}), {} enumerated, {} placements simulated three times, "
      "{} "
      "bounds, {} proofs, {} contradictions in {} problems, {:.0f} s\n",
      options.problems, options.first, end - 1, totals.enumerated, totals.values, totals.claims,
      totals.proofs, totals.findings, wrong,
      std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
  return wrong == 0 ? 0 : 1;
}

}  // namespace
}  // namespace berth::audit

int main(int argc, char** argv) {
  berth::audit::Options options;
  CLI::App app("Random problems, every method on each, all claims against all values.");
  app.add_option("--problems", options.problems, "how many");
  app.add_option("--first", options.first, "number of the first");
  app.add_option("--kind", options.kinds, "only these kinds");
  app.add_option("--threads", options.threads, "0: all cores");
  app.add_option("--keep", options.keep, "folder for what goes wrong, shrunk");
  app.add_option("--slow", options.slow, "name what takes longer than this many seconds");
  app.add_option("--evaluations", options.judge.evaluations, "of each method");
  app.add_option("--enumerations", options.judge.enumerations, "most placements of brute force");
  CLI11_PARSE(app, argc, argv);
  return berth::audit::run(options);
}
