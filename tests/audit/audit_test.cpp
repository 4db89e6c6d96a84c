// What the audit once found stays found, and the audit sees what is wrong.
#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "berth/io/read_problem.h"
#include "tests/audit/judge.h"
#include "tests/audit/kinds.h"
#include "tests/audit/shrink.h"
#include "tests/support/effort.h"
#include "tests/support/fixtures.h"

using namespace berth;

namespace {

std::string text_of(const audit::Verdict& verdict) {
  std::string text;
  for (const audit::Finding& finding : verdict.findings)
    text += finding.rule + ": " + finding.what + "\n";
  return text;
}

bool found(const audit::Verdict& verdict, const std::string& rule) {
  return std::any_of(verdict.findings.begin(), verdict.findings.end(),
                     [&](const audit::Finding& finding) { return finding.rule == rule; });
}

audit::Statement statement(const std::string& spec, const Problem& problem) {
  return {spec, run_placer(spec, problem)};
}

}  // namespace

TEST_CASE("problems on which a claim was wrong have no contradiction left") {
  int files = 0;
  for (const auto& entry : std::filesystem::directory_iterator("tests/audit/found")) {
    if (entry.path().extension() != ".json") continue;
    CAPTURE(entry.path().string());
    const Problem problem = read_problem(entry.path());
    const audit::Verdict verdict = audit::audit(problem, audit::specs_for(problem, 1), {});
    CHECK_MESSAGE(verdict.findings.empty(), text_of(verdict));
    ++files;
  }
  CHECK(files > 0);
}

TEST_CASE("a wrong bound, a wrong proof and a wrong impossibility are seen and named") {
  const Problem& problem = fixtures::small_problem("chain");
  const audit::Statement truth = statement("auto", problem);
  REQUIRE(truth.result.placement);
  const Duration value = truth.result.simulation->value;

  audit::Statement liar = statement("single-device", problem);
  liar.spec = "liar";
  liar.result.lower_bound = value * 1.1;
  audit::Verdict verdict;
  audit::judge(problem, std::vector{truth, liar}, {}, verdict);
  REQUIRE(found(verdict, "bound"));
  CHECK(text_of(verdict).find("liar has the bound") != std::string::npos);
  CHECK(text_of(verdict).find("but auto has") != std::string::npos);
  CHECK(text_of(verdict).find("of brute force") != std::string::npos);

  liar = statement("single-device", problem);
  REQUIRE(liar.result.simulation->value > value * 1.001);
  liar.result.proven_optimal = true;
  verdict = {};
  audit::judge(problem, std::vector{truth, liar}, {}, verdict);
  CHECK(found(verdict, "proof"));

  liar.result = {};
  liar.result.impossible = true;
  verdict = {};
  audit::judge(problem, std::vector{truth, liar}, {}, verdict);
  CHECK(found(verdict, "impossible"));

  verdict = {};
  audit::judge(problem, std::vector{truth}, {}, verdict);
  CHECK(verdict.findings.empty());
}

TEST_CASE("shrinking keeps what is wrong and drops the rest") {
  const Problem problem = audit::draw(audit::find_kind("call-latency"), 7);
  REQUIRE(problem.node_count() > 2);
  const auto has_two_nodes_and_an_edge = [](const Problem& candidate) {
    return candidate.node_count() >= 2 && candidate.graph().edge_count() >= 1;
  };
  REQUIRE(has_two_nodes_and_an_edge(problem));
  const Problem small = audit::shrink(problem, has_two_nodes_and_an_edge);
  CHECK(small.node_count() == 2);
  CHECK(small.graph().edge_count() == 1);
  CHECK(small.constraints() == Constraints{});
}

TEST_CASE("every kind is drawn with its objective, and the same number draws the same problem") {
  for (const audit::Kind& kind : audit::kinds())
    for (std::uint64_t number = 1; number < 40; ++number) {
      const Problem problem = audit::draw(kind, number);
      CHECK(words_of(problem.model()).execution == std::string(to_string(kind.execution)));
      CHECK(problem.objective() == kind.objective);
      CHECK(problem.graph() == audit::draw(kind, number).graph());
    }
}

TEST_CASE("random problems of every kind: no claim is above a value, nor beside the optimum") {
  for (std::uint64_t number = 1; number <= static_cast<std::uint64_t>(effort(1000)); ++number) {
    const audit::Kind& kind = audit::kinds()[number % audit::kinds().size()];
    CAPTURE(kind.name);
    CAPTURE(number);
    const Problem problem = audit::draw(kind, number);
    const audit::Verdict verdict = audit::audit(problem, audit::specs_for(problem, number), {});
    CHECK_MESSAGE(verdict.findings.empty(), text_of(verdict));
  }
}
