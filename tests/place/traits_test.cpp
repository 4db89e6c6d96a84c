#include "berth/place/traits.h"

#include <map>
#include <string>

#include <doctest/doctest.h>

#include "berth/place/run_placer.h"
#include "tests/support/fixtures.h"
#include "tests/support/runnable.h"

using namespace berth;

TEST_CASE("every execution with a name has a kind of its own, contiguous ones another") {
  std::map<ProblemKinds, std::string> name_of;
  for (const NamedExecution& named : named_executions()) {
    ExecutionModel model(named.model);
    const std::string name = named.words.execution + std::string(" ") +
                             (model.adds_up() ? "" : to_string(named.words.objective));
    const auto known = name_of.try_emplace(kind_of(model), name).first;
    CHECK(known->second == name);  // sequential latency and throughput are one
    if (!set_field(model.execution, "contiguous", true)) continue;
    CHECK(name_of.try_emplace(kind_of(model), name + " contiguous").second);
    CHECK((kind_of(model) & kContiguousLoads) != 0);
  }
  ProblemKinds all = 0;
  for (const auto& [kind, name] : name_of) all += kind;
  CHECK(all == kAnything);
}

TEST_CASE("a method that does not serve a problem says what it is for, and does nothing") {
  const auto reason = [](const char* method, const ExecutionModel& model) {
    const Problem& chain = fixtures::small_problem("chain");
    const Result result = run_placer(method, chain.with_model(model));
    CHECK_FALSE(result.placement);
    CHECK(result.evaluations == 0);
    return result.reason;
  };
  CHECK(reason("latency-dp", Concurrent{}) ==
        "latency-dp is for latency with call execution, not for latency with concurrent execution");
  CHECK(reason("ideal-dp", InPieces{.objective = Objective::kThroughput}) ==
        "ideal-dp is for throughput with call execution or throughput with pipeline execution, not "
        "for throughput with pieces execution");
  CHECK(reason("replicate", Sequential{}) ==
        "replicate is for throughput with call execution or throughput with pieces execution, not "
        "for latency with sequential execution");
}

TEST_CASE("a method for some kinds of problems answers each of them, and no other") {
  for (const PlacerEntry& entry : runnable_placers()) {
    if (entry.traits.serves == kAnything) continue;  // heuristics may miss what is contiguous
    CAPTURE(std::string(entry.name));
    ProblemKinds present = 0, answered = 0;
    for (const Problem& problem : fixtures::small_problems()) {
      present |= kind_of(problem.model());
      Budget budget({.seconds = std::nullopt, .evaluations = 50});
      if (run_placer(entry.name, problem, 1, budget).placement)
        answered |= kind_of(problem.model());
    }
    CHECK(answered == (present & entry.traits.serves));
  }
}
